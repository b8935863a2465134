// SPDX-License-Identifier: BSD-3-Clause
// Short tasks between messages go on while the only worker is in a long one.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/runtime/runtime.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class proxy_helps : public ::testing::TestWithParam<progress> {
 protected:
  environment& env = test_environment();
  const int ranks = env.size();

  [[nodiscard]] runtime_options options() const {
    return {.engine = {.policy = GetParam()}, .tasks = {.workers = 1}};
  }
  /// Ends when `over` is true, which no task that waits for this one can make it.
  static void long_task(int& touched, const std::atomic<bool>* over) {
    while (!*over) std::this_thread::sleep_for(std::chrono::microseconds(50));
    ++touched;
  }
};
INSTANTIATE_TEST_SUITE_P(policies, proxy_helps,
                         ::testing::Values(progress::automatic, progress::dedicated,
                                           progress::sleeping),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(proxy_helps, all_rounds_of_a_reduction) {
  for (const collective::algorithm how :
       collective::algorithms_of(collective::operation::allreduce)) {
    for (const std::size_t count : {std::size_t{3}, std::size_t{100'000}}) {
      runtime rt{env, options()};
      std::atomic<bool> over{false};
      int touched = 0;
      std::vector<double> total(count, env.rank() + 1.0);
      rt.task("long", long_task, inout(touched), &over);
      rt.allreduce("total", inout(total), sum{}, {.algorithm = how});
      rt.task(
            "over", [&over](const std::vector<double>&) { over = true; }, in(total))
          .target(anyone);
      rt.wait();
      EXPECT_EQ(touched, 1);
      EXPECT_EQ(total, std::vector<double>(count, ranks * (ranks + 1) / 2.0)) << to_string(how);
    }
  }
}

TEST_P(proxy_helps, a_ring_of_the_programs_own) {
  if (ranks < 2) return;
  runtime rt{env, options()};
  const int right = (env.rank() + 1) % ranks;
  const int left = (env.rank() + ranks - 1) % ranks;
  std::atomic<bool> over{false};
  int touched = 0;
  int passed = env.rank();
  int came = 0;
  int sum = env.rank();
  rt.task("long", long_task, inout(touched), &over);
  for (int round = 1; round < ranks; ++round) {
    rt.send("pass", in(passed), right);
    rt.recv("come", out(came), left);
    rt.task(
          "add",
          [](const int& from_left, int& on, int& total) {
            on = from_left;
            total += from_left;
          },
          in(came), inout(passed), inout(sum))
        .target(anyone);
  }
  rt.task(
        "over", [&over](const int&) { over = true; }, in(sum))
      .target(anyone);
  rt.wait();
  EXPECT_EQ(touched, 1);
  EXPECT_EQ(sum, ranks * (ranks - 1) / 2);
}

}  // namespace
}  // namespace plait::test
