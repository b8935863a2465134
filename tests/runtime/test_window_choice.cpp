// SPDX-License-Identifier: BSD-3-Clause
// What windows run on: who says so, and that all of it does the same.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

constexpr const char* variable = "PLAIT_WINDOWS";
constexpr const char* needs_no_target = "a put ends while its target computes";

class every_kind_of_window : public ::testing::TestWithParam<windows_on> {
 protected:
  environment& env = test_environment();
  const int rank = env.rank();
  const int next = (rank + 1) % env.size();
  const int before = (rank + env.size() - 1) % env.size();
  const window_options options{.on = GetParam()};
};
INSTANTIATE_TEST_SUITE_P(windows, every_kind_of_window,
                         ::testing::Values(windows_on::messages, windows_on::rma,
                                           windows_on::automatic),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(every_kind_of_window, says_what_it_runs_on_and_why) {
  runtime rt{env, {.tasks = {.workers = 1}}};
  int own = rank;
  const auto w = rt.window(std::span(&own, 1), options);
  EXPECT_NE(w.chosen().what, windows_on::automatic);
  if (GetParam() != windows_on::automatic) {
    EXPECT_EQ(w.chosen().what, GetParam());
  }
  EXPECT_FALSE(w.chosen().reason.empty());
  int theirs = -1;
  rt.get("theirs", w, next, 0, out(theirs));
  rt.wait();
  EXPECT_EQ(theirs, next);
  env.barrier();
}

TEST_P(every_kind_of_window, finds_memory_that_is_zero_and_aligned_on_each_rank) {
  runtime rt{env, {.tasks = {.workers = 1}}};
  const auto length = [](int r) { return static_cast<std::size_t>(3 * r + 1); };
  auto letters = rt.allocate_window<char>(length(rank), options);
  auto numbers = rt.allocate_window<double>(static_cast<std::size_t>(rank), options);
  ASSERT_EQ(letters.local().size(), length(rank));
  EXPECT_EQ(letters.size(next), length(next));
  EXPECT_TRUE(std::ranges::all_of(letters.local(), [](char x) { return x == 0; }));
  ASSERT_EQ(numbers.local().size(), static_cast<std::size_t>(rank));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.local().data()) % alignof(double), 0U);
  env.barrier();  // all have looked
  const char mine = static_cast<char>('a' + rank);
  const double number = 10.0 * rank;
  rt.put_signal("last letter", letters, next, length(next) - 1, in(mine));
  if (next > 0) rt.put("number", numbers, next, static_cast<std::size_t>(next) - 1, in(number));
  rt.await_signal("last letter", letters, before, out(letters.local()));
  rt.wait();
  env.barrier();
  EXPECT_EQ(letters.local().back(), static_cast<char>('a' + before));
  EXPECT_TRUE(std::all_of(letters.local().begin(), letters.local().end() - 1,
                          [](char x) { return x == 0; }));
  if (rank > 0) {
    EXPECT_EQ(numbers.local().back(), 10.0 * before);
  }
  env.barrier();
}

// Rank 1 calls nothing of plait's or of MPI's until the put is there.
TEST(windows_on_rma, are_put_to_while_their_target_computes_where_that_is_said) {
  environment& env = test_environment();
  if (env.size() < 2) return;
  runtime rt{env, {.engine = {.policy = progress::none}, .tasks = {.workers = 1}}};
  auto w = rt.allocate_window<std::int64_t>(1, {.on = windows_on::rma});
  const std::int64_t value = 42;
  if (w.chosen().reason == needs_no_target) {
    if (env.rank() == 0) {
      rt.put("now", w, 1, 0, in(value));
      rt.wait();
    } else if (env.rank() == 1) {
      const std::atomic_ref<std::int64_t> here(w.local()[0]);
      while (here.load(std::memory_order_acquire) != value) std::this_thread::yield();
    }
  }
  env.barrier();
}

TEST(windows_on_rma, are_chosen_by_themselves_where_they_need_no_target) {
  environment& env = test_environment();
  if (env.size() < 2) return;
  runtime rt{env, {.tasks = {.workers = 1}}};
  int own = 0;
  const auto asked = rt.window(std::span(&own, 1), {.on = windows_on::rma});
  const auto chosen = rt.window(std::span(&own, 1), {.on = windows_on::automatic});
  const bool alone = asked.chosen().reason == needs_no_target;
  EXPECT_EQ(chosen.chosen().what, alone ? windows_on::rma : windows_on::messages);
}

TEST(windows_on, have_names) {
  for (const windows_on one : {windows_on::messages, windows_on::rma, windows_on::automatic}) {
    EXPECT_EQ(windows_on_from(to_string(one)), one);
  }
  EXPECT_EQ(windows_on_from("fast"), std::nullopt);
}

TEST(windows_on, is_the_same_on_all_ranks_or_refused) {
  environment& env = test_environment();
  if (env.size() < 2) return;
  runtime rt{env, {.tasks = {.workers = 1}}};
  int own = 0;
  const auto ask = [&](bool otherwise) {
    const windows_on what = otherwise ? windows_on::rma : windows_on::messages;
    (void)rt.window(std::span(&own, 1), {.on = what});
  };
  EXPECT_EQ(refusal([&] { ask(env.rank() == 1); }),
            "window: the ranks do not ask for the same kind");
  EXPECT_EQ(refusal([&] { ask(true); }), "accepted");
}

TEST(windows_on, is_overruled_by_the_environment_variable) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  int own = 0;
  const auto ask = [&] {
    return rt.window(std::span(&own, 1), {.on = windows_on::rma}).chosen().what;
  };
  ::setenv(variable, "messages", 1);
  EXPECT_EQ(ask(), windows_on::messages);
  ::setenv(variable, "fast", 1);
  EXPECT_EQ(refusal([&] { (void)ask(); }),
            "window: PLAIT_WINDOWS is 'fast'; it can be auto, messages or rma");
  ::unsetenv(variable);
  EXPECT_EQ(ask(), windows_on::rma);
}

}  // namespace
}  // namespace plait::test
