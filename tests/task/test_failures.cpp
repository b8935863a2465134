// SPDX-License-Identifier: BSD-3-Clause
// Exceptions of tasks.
#include <atomic>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

namespace {

using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;

std::string thrown_by_wait(scheduler& s) {
  try {
    s.wait();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing";
}

class failing_tasks : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(failures, failing_tasks, ::testing::Values(1, 2, 4));

TEST_P(failing_tasks, wait_rethrows_what_a_task_threw) {
  scheduler s{{.workers = GetParam()}};
  s.task("throws", [] { throw plait::error("the matrix is singular"); });
  EXPECT_EQ(thrown_by_wait(s), "the matrix is singular");
}

TEST_P(failing_tasks, what_depends_on_a_failed_task_does_not_run) {
  scheduler s{{.workers = GetParam()}};
  int x = 0;
  std::atomic<int> ran{0};
  s.task(
      "throws", [](int&) { throw std::runtime_error("first"); }, out(x));
  for (int i = 0; i < 100; ++i)
    s.task(
        "after", [&ran](int&) { ++ran; }, inout(x));
  EXPECT_EQ(thrown_by_wait(s), "first");
  EXPECT_EQ(ran, 0);
}

TEST_P(failing_tasks, the_first_of_several_exceptions_is_rethrown_and_only_once) {
  scheduler s{{.workers = GetParam()}};
  int x = 0;
  for (int i = 0; i < 10; ++i) {
    s.task(
        "throws", [i](int&) { throw std::runtime_error("number " + std::to_string(i)); }, inout(x));
  }
  EXPECT_EQ(thrown_by_wait(s), "number 0");
  EXPECT_EQ(thrown_by_wait(s), "nothing");
}

TEST_P(failing_tasks, the_scheduler_is_usable_afterwards) {
  scheduler s{{.workers = GetParam(), .in_flight = 16}};
  int x = 0;
  for (int round = 0; round < 20; ++round) {
    s.task(
        "throws", [](int&) { throw std::runtime_error("again"); }, inout(x));
    for (int i = 0; i < 50; ++i)
      s.task(
          "dropped", [](int&) {}, inout(x));
    ASSERT_EQ(thrown_by_wait(s), "again");
    EXPECT_FALSE(s.failed());
    x = 0;
    for (int i = 0; i < 50; ++i)
      s.task(
          "add", [](int& n) { ++n; }, inout(x));
    s.wait();
    ASSERT_EQ(x, 50) << "round " << round;
  }
}

TEST_P(failing_tasks, an_exception_that_is_no_std_exception_is_rethrown_too) {
  scheduler s{{.workers = GetParam()}};
  s.task("throws", [] { throw 42; });
  EXPECT_THROW(s.wait(), int);
}

TEST_P(failing_tasks, a_failure_reported_from_outside_is_rethrown) {
  scheduler s{{.workers = GetParam()}};
  s.fail(std::make_exception_ptr(plait::error("the message has another size")));
  EXPECT_EQ(thrown_by_wait(s), "the message has another size");
}

TEST(failures, an_exception_of_the_program_drops_the_tasks_and_goes_on) {
  int ran = 0;
  try {
    scheduler s{{.workers = 1}};
    s.task("task", [&ran] { ++ran; });
    throw std::runtime_error("of the program");
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "of the program");
  }
  EXPECT_EQ(ran, 0);
}

struct throws_on_copy {
  throws_on_copy() = default;
  throws_on_copy(const throws_on_copy&) { throw plait::error("cannot be copied"); }
  void operator()() const {}
};

TEST(failures, a_function_that_cannot_be_copied_leaves_the_scheduler_usable) {
  scheduler s{{.workers = 1}};
  const throws_on_copy f;
  EXPECT_THROW(s.task("copied", f), plait::error);
  int x = 0;
  s.task(
      "add", [](int& n) { ++n; }, inout(x));
  s.wait();
  EXPECT_EQ(x, 1);
}

TEST(failures_death, an_exception_nobody_waits_for_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        scheduler s{{.workers = 1}};
        s.task("throws", [] { throw plait::error("too late"); });
      },
      "never waited for: task 'throws': too late");
}

}  // namespace
