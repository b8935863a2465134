// SPDX-License-Identifier: BSD-3-Clause
// Waiting for one thing instead of all: `result` and `wait_on`.
#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

namespace {

using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;

class result_workers : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(result, result_workers, ::testing::Values(1, 2, 4));

TEST_P(result_workers, a_task_returns_its_value) {
  scheduler s{{.workers = GetParam()}};
  std::vector<int> x(100);
  s.task(
      "fill", [](std::vector<int>& v) { std::iota(v.begin(), v.end(), 0); }, out(x));
  plait::event<int> total =
      s.task(
           "sum", [](const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); },
           in(x))
          .result();
  auto text = s.task("text", [] { return std::string(1000, 'x'); }).priority(plait::low).result();
  EXPECT_EQ(total.get(), 4950);
  EXPECT_TRUE(total.done());
  EXPECT_EQ(total.get(), 4950) << "as often as one likes";
  EXPECT_EQ(text.get().size(), 1000U);
}

TEST_P(result_workers, a_result_does_not_wait_for_other_tasks) {
  scheduler s{{.workers = GetParam()}};
  int x = 0;
  auto& open = s.allocate("open", plait::detail::node_kind::asynchronous);
  open.act = [](auto&, auto) {};
  s.submit(open);
  auto one = s.task("one", [] { return 1; }).result();
  EXPECT_EQ(one.get(), 1);
  s.task(
      "two", [](int& to) { to = 2; }, out(x));
  s.wait_on(x);
  EXPECT_EQ(x, 2);
  s.complete(open);
  s.wait();
}

TEST_P(result_workers, a_task_without_a_value_can_be_waited_for) {
  scheduler s{{.workers = GetParam()}};
  int x = 0;
  plait::event<void> done = s.task(
                                 "set", [](int& to) { to = 1; }, out(x))
                                .result();
  done.get();
  EXPECT_EQ(x, 1);
}

TEST_P(result_workers, wait_on_waits_for_those_that_write) {
  scheduler s{{.workers = GetParam()}};
  std::vector<long> x(8);
  for (int round = 1; round <= 200; ++round) {
    for (long& one : x) {
      s.task(
          "next", [](long& to) { ++to; }, inout(one));
    }
    const std::size_t at = static_cast<std::size_t>(round) % 8;
    s.wait_on(x[at]);
    ASSERT_EQ(x[at], round);
  }
  s.wait_on(x);  // all of it
  EXPECT_EQ(x, std::vector<long>(8, 200));
  s.wait();
}

TEST_P(result_workers, results_that_nobody_asks_for_are_dropped) {
  scheduler s{{.workers = GetParam()}};
  auto value = std::make_shared<int>(3);
  {
    auto unused = s.task("copy", [value] { return value; }).result();
  }
  s.wait();
  EXPECT_EQ(value.use_count(), 1);
}

TEST_P(result_workers, results_outlive_the_scheduler) {
  std::optional<plait::event<int>> kept;
  {
    scheduler s{{.workers = GetParam()}};
    kept = s.task("one", [] { return 1; }).result();
    s.wait();
  }
  EXPECT_EQ(kept->get(), 1);
}

TEST_P(result_workers, the_exception_of_the_task_is_rethrown_once_and_then_named) {
  scheduler s{{.workers = GetParam()}};
  auto bad = s.task("bad", []() -> int { throw std::runtime_error("no value"); }).result();
  try {
    (void)bad.get();
    FAIL() << "no exception";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "no value");
  }
  EXPECT_FALSE(bad.done());
  EXPECT_THROW((void)bad.get(), plait::error);
}

TEST_P(result_workers, another_tasks_failure_ends_the_waiting) {
  scheduler s{{.workers = GetParam()}};
  int x = 0;
  s.task(
      "fails", [](int&) { throw std::runtime_error("before"); }, out(x));
  auto dropped = s.task(
                      "dropped", [](const int&) { return 1; }, in(x))
                     .result();
  EXPECT_THROW((void)dropped.get(), std::runtime_error);
  EXPECT_THROW((void)dropped.get(), plait::error);

  s.task(
      "fails", [](int&) { throw std::runtime_error("again"); }, out(x));
  EXPECT_THROW(s.wait_on(x), std::runtime_error);
  s.wait();
}

TEST_P(result_workers, a_task_may_end_at_any_moment_of_the_asking) {
  scheduler s{{.workers = GetParam()}};
  for (int i = 0; i < 20'000; ++i) {
    auto one = s.task("one", [i] { return i; }).result();
    ASSERT_EQ(one.get(), i);
  }
}

TEST_P(result_workers, a_task_may_fail_at_any_moment_of_the_asking) {
  scheduler s{{.workers = GetParam()}};
  for (int i = 0; i < 2'000; ++i) {
    auto bad = s.task("bad", []() -> int { throw std::out_of_range("this one"); }).result();
    ASSERT_THROW((void)bad.get(), std::out_of_range);
    ASSERT_THROW((void)bad.get(), plait::error);
    s.wait();
  }
}

TEST(result, arguments_too_large_for_a_node_are_kept) {
  scheduler s{{.workers = 2}};
  const std::array<int, 200> large = {1, 2, 3};
  auto sum = s.task(
                  "sum", [](const std::array<int, 200>& a) { return a[0] + a[1] + a[2]; }, large)
                 .result();
  EXPECT_EQ(sum.get(), 6);
}

TEST(result, a_recorded_task_has_none) {
  scheduler s{{.workers = 1}};
  EXPECT_THROW((void)s.record([&] { (void)s.task("one", [] { return 1; }).result(); }),
               plait::usage_error);
}

TEST(result, a_reached_limit_does_not_hang_it) {
  scheduler s{{.workers = 1, .in_flight = 1}};
  int x = 0;
  for (int i = 0; i < 10; ++i) {
    auto next = s.task(
                     "next", [](int& to) { return ++to; }, inout(x))
                    .result();
    s.wait_on(x);
    EXPECT_EQ(next.get(), i + 1);
  }
}

}  // namespace
