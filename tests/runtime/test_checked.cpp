// SPDX-License-Identifier: BSD-3-Clause
// Checked mode with messages: what they name counts, and MPI may touch it.
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>
#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>
#include <plait/device/device_array.hpp>
#include <plait/device/emulated.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class checked : public ::testing::Test {
 protected:
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();

  static std::string found(runtime& rt) {
    try {
      rt.wait();
    } catch (const access_error& e) {
      return e.what();
    }
    return "nothing";
  }
};

TEST_F(checked, forces_one_worker_and_no_other_thread) {
  runtime rt{env,
             {.engine = {.policy = progress::dedicated}, .tasks = {.workers = 4, .checked = true}}};
  EXPECT_EQ(rt.workers(), 1);
  EXPECT_FALSE(rt.progress_choice().proxy);
}

TEST_F(checked, a_task_that_reads_a_message_too_early_is_named) {
  runtime rt{env, {.tasks = {.checked = true}}};
  std::vector<int> edge(100, env.rank()), ghost(100), sum(1);
  rt.recv("ghost", out(ghost), left);
  rt.send("edge", in(edge), right);
  rt.task(
      "rim", [&ghost](std::vector<int>& to) { to[0] = *const_cast<volatile int*>(&ghost[5]); },
      out(sum));
  EXPECT_EQ(
      found(rt),
      "task 'rim' reads bytes 20 to 23 of what message 'ghost' names (out), without an access "
      "to it");
  env.barrier();
}

TEST_F(checked, a_task_that_changes_what_is_being_sent_is_named) {
  runtime rt{env, {.tasks = {.checked = true}}};
  std::vector<int> edge(500, env.rank()), ghost(500), sum(1);
  rt.recv("ghost", out(ghost), left);
  rt.send("edge", in(edge), right);
  rt.task(
      "rim", [&edge](std::vector<int>&) { *const_cast<volatile int*>(&edge[499]) = 1; }, out(sum));
  EXPECT_EQ(found(rt),
            "task 'rim' writes bytes 1996 to 1999 of what message 'edge' names (in), without "
            "an access to it");
  env.barrier();
}

// A ring that is passed on, its messages both small and too large for MPI to buffer, while tasks
// that have nothing to do with it run.
TEST_F(checked, honest_programs_get_their_results) {
  for (const std::size_t count : {1U, 100U, 5000U, 300'000U}) {
    runtime rt{env, {.tasks = {.checked = true}}};
    std::vector<std::uint32_t> here(count + 2), there(count + 2), other(500);
    for (std::size_t i = 0; i < here.size(); ++i) here[i] = static_cast<std::uint32_t>(i);
    const auto part = [count](auto& of) { return std::span(of).subspan(1, count); };
    const int steps = 6;
    for (int step = 0; step < steps; ++step) {
      rt.recv("there", out(part(there)), left, step % 2);
      rt.send("here", in(part(here)), right, step % 2);
      rt.task(
          "other",
          [](std::vector<std::uint32_t>& x) {
            for (auto& each : x) each += 3;
          },
          inout(other));
      rt.task(
          "take over",
          [](std::span<const std::uint32_t> from, std::span<std::uint32_t> to) {
            for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + 7;
          },
          in(part(there)), out(part(here)));
    }
    rt.wait();
    for (std::size_t i = 1; i <= count; ++i) {
      ASSERT_EQ(here[i], i + 7U * steps)
          << "element " << i << " of " << count << " on rank " << env.rank();
    }
    EXPECT_EQ(here[count + 1], count + 1);
    EXPECT_EQ(other[499], 3U * steps);
  }
}

// MPI moves any message in any call.
TEST_F(checked, a_task_that_holds_the_token_may_move_the_messages_of_others) {
  runtime rt{env, {.tasks = {.checked = true}}};
  std::vector<int> edge(200'000, env.rank()), ghost(200'000);
  int all = 0;
  rt.recv("ghost", out(ghost), left);
  rt.send("edge", in(edge), right);
  rt.task(
      "sums over all",
      [this](int& to) {
        mpi_token_guard token(env.token());
        const int one = 1;
        MPI_Allreduce(&one, &to, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      },
      out(all));
  rt.wait();
  EXPECT_EQ(all, env.size());
  for (const int each : ghost) ASSERT_EQ(each, left);
}

/// Kernels and copies touch memory that no task of the host may touch meanwhile.
TEST_F(checked, devices_and_their_copies_are_left_alone) {
  runtime rt{env, {.tasks = {.checked = true}, .devices = emulated_devices({.delay_s = 2e-4})}};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 5000);
  std::vector<int> host(5000, env.rank());
  std::vector<int> back(5000);
  rt.copy("there", in(host), out(x));
  rt.task(
      "add",
      [](queue q, device_span<int> all) {
        emulated::launch(q, 0, [all] {
          for (std::size_t i = 0; i < all.size(); ++i) ++all.data()[i];
        });
      },
      on(gpu), inout(x));
  rt.copy("back", in(x), out(back));
  rt.wait();
  EXPECT_EQ(back, std::vector<int>(5000, env.rank() + 1));
}

}  // namespace
}  // namespace plait::test
