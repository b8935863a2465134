// SPDX-License-Identifier: BSD-3-Clause
// Checked mode as a whole: it is switched on, and leaves signals, pages and faults as they were.
#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>
#include <unistd.h>

#include "checked.hpp"

namespace plait::test {
namespace {

TEST(afterwards, handlers_and_pages_are_as_before) {
  struct sigaction before[3];
  struct sigaction after[3];
  constexpr int signals[] = {SIGSEGV, SIGTRAP, SIGSYS};
  for (int i = 0; i < 3; ++i) sigaction(signals[i], nullptr, &before[i]);
  stack_t stack_before;
  stack_t stack_after;
  sigaltstack(nullptr, &stack_before);
  std::vector<int> x(10'000), y(10'000);
  EXPECT_NE(found([&](scheduler& s) {
              s.task(
                  "x", [](auto&) {}, inout(x));
              s.task(
                  "y", [&](auto&) { store(&x[0], 1); }, inout(y));
            }),
            "nothing");
  std::iota(x.begin(), x.end(), 0);
  EXPECT_EQ(x[9999], 9999);
  for (int i = 0; i < 3; ++i) {
    sigaction(signals[i], nullptr, &after[i]);
    EXPECT_EQ(before[i].sa_handler, after[i].sa_handler) << signals[i];
  }
  sigaltstack(nullptr, &stack_after);
  EXPECT_EQ(stack_before.ss_sp, stack_after.ss_sp);
  EXPECT_EQ(stack_before.ss_flags, stack_after.ss_flags);
}

/// A task that runs `body` while other data is protected.
void run_checked(const std::function<void()>& body) {
  scheduler s{{.checked = true}};
  std::vector<int> x(10'000), y(10'000);
  s.task(
      "x", [](auto&) {}, inout(x));
  s.task(
      "body", [&](auto&) { body(); }, inout(y));
  s.wait();
}

volatile int* nowhere = nullptr;
const std::array<int, 2000> constants{1};

TEST(crash_death, a_genuine_fault_ends_the_program_as_ever) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_checked([] { *nowhere = 1; }), ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(run_checked([] { *reinterpret_cast<volatile int*>(0x7FFF00000000000) = 1; }),
              ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(run_checked([] { raise(SIGSEGV); }), ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(run_checked([] { raise(SIGTRAP); }), ::testing::KilledBySignal(SIGTRAP), "");
  EXPECT_EXIT(run_checked([] { std::abort(); }), ::testing::KilledBySignal(SIGABRT), "");
  EXPECT_EXIT(run_checked([] { _exit(5); }), ::testing::ExitedWithCode(5), "");
  EXPECT_EXIT(
      {
        scheduler s{{.checked = true}};
        int y = 0;
        s.task(
            "reads", [](auto&) {}, in(constants));
        s.task(
            "writes a constant", [](int&) { store(const_cast<int*>(&constants[1000]), 1); },
            out(y));
        s.wait();
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(crash_death, a_handler_that_was_there_before_is_called) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        struct sigaction mine {};
        mine.sa_handler = [](int) { _exit(42); };
        sigaction(SIGSEGV, &mine, nullptr);
        run_checked([] { *nowhere = 1; });
      },
      ::testing::ExitedWithCode(42), "");
}

TEST(option, the_environment_has_the_last_word) {
  const auto checks = [](const char* text, bool option) {
    setenv("PLAIT_CHECKED", text, 1);
    return scheduler::checks_accesses(option);
  };
  EXPECT_TRUE(checks("1", false));
  EXPECT_FALSE(checks("0", true));
  EXPECT_TRUE(checks("", true));
  EXPECT_FALSE(checks("", false));
  try {
    (void)checks("yes", false);
    ADD_FAILURE() << "accepted";
  } catch (const plait::usage_error& e) {
    EXPECT_STREQ(e.what(), "PLAIT_CHECKED is 'yes'; it can be 1 (check accesses) or 0");
  }
  unsetenv("PLAIT_CHECKED");
}

TEST(option, a_checked_scheduler_has_one_worker_and_is_alone) {
  scheduler s{{.workers = 4, .checked = true}};
  EXPECT_EQ(s.workers(), 1);
  try {
    scheduler another{{.checked = true}};
    ADD_FAILURE() << "accepted";
  } catch (const plait::usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "checked: one runtime or scheduler of a process at a time can be checked");
  }
  scheduler unchecked{{.workers = 1}};
}

}  // namespace
}  // namespace plait::test
