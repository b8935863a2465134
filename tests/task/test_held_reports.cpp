// SPDX-License-Identifier: BSD-3-Clause
// Reports of tasks that others finish: in a standstill, in a trace, at the end of a scheduler.
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

namespace {

using plait::hold;
using plait::inout;
using plait::scheduler;
using plait::stall;

class told_workers : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(held_reports, told_workers, ::testing::Values(1, 3));

TEST_P(told_workers, a_standstill_names_those_that_are_held) {
  std::vector<hold> open;
  std::vector<std::string> told;
  std::vector<stall::state> states;
  std::mutex mutex;
  const auto keep = [&](hold until) {
    std::lock_guard lock(mutex);
    open.push_back(std::move(until));
  };
  scheduler quiet({.workers = GetParam(),
                   .oversubscribed = true,
                   .stall_report_s = 0.05,
                   .stalled = [&](const stall& found) {
                     states.clear();  // a busy machine may have reported before the task was held
                     for (const auto& one : found.held) told.emplace_back(one.name);
                     for (const auto& one : found.tasks) states.push_back(one.is);
                     for (const auto& one : found.held) EXPECT_GT(one.held_s, 0);
                     std::lock_guard lock(mutex);
                     for (hold& one : open) one.release();
                     open.clear();
                   }});
  int x = 0;
  quiet.task(
      "read", [&](int&, hold until) { keep(std::move(until)); }, inout(x), plait::held);
  quiet.task(
      "next", [](int& value) { value = 1; }, inout(x));
  quiet.wait();
  EXPECT_EQ(x, 1);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told[0], "read");
  ASSERT_GE(states.size(), 2U);
  EXPECT_EQ(states[0], stall::state::on_hold);
  EXPECT_EQ(states[1], stall::state::waiting);
}

TEST_P(told_workers, a_held_child_is_named_too) {
  std::optional<hold> open;
  std::vector<std::string> told;
  std::atomic<bool> there{false};
  scheduler quiet({.workers = GetParam(),
                   .oversubscribed = true,
                   .stall_report_s = 0.05,
                   .stalled = [&](const stall& found) {
                     for (const auto& one : found.held) told.emplace_back(one.name);
                     if (there.exchange(false)) open->release();
                   }});
  quiet.task("parent", [&] {
    quiet.task(
        "child",
        [&](hold until) {
          open.emplace(std::move(until));
          there = true;
        },
        plait::held);
  });
  quiet.wait();
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told[0], "child");
}

struct held_observer final : plait::task_observer {
  void task_ran(int, const char*, std::uint64_t, plait::ticks, plait::ticks) override {}
  void worker_idled(int, plait::ticks, plait::ticks, plait::ticks) override {}
  void task_released(int, std::uint64_t, std::uint64_t) override {}
  void replay_began(std::uint64_t, std::uint64_t, std::uint64_t) override {}
  void task_held(int worker, const char* name, std::uint64_t id, plait::ticks begin,
                 plait::ticks end) override {
    std::lock_guard lock(mutex);
    EXPECT_GE(worker, 0);
    EXPECT_LE(begin, end);
    told.emplace_back(name, id);
  }
  std::mutex mutex;
  std::vector<std::pair<std::string, std::uint64_t>> told;
};

/// With one worker the function has returned when the next task begins.
TEST(held_reports, a_trace_is_told_how_long_a_task_was_held) {
  scheduler s({.workers = 1});
  held_observer observer;
  s.observe(&observer);
  hold kept;
  s.task("plain", [] {});
  s.task(
      "late", [&kept](hold until) { kept = std::move(until); }, plait::held);
  s.task("let go", [&kept] { kept.release(); });
  s.wait();
  s.observe(nullptr);
  ASSERT_EQ(observer.told.size(), 1U);
  EXPECT_EQ(observer.told[0].first, "late");
}

TEST(held_reports, open_at_the_end_ends_the_job_and_is_named) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto end = [](bool by_exception) {
    std::vector<hold> open;
    std::atomic<bool> there{false};
    try {
      scheduler s({.workers = 2, .stall_report_s = 0.2});
      s.task(
          "read a page",
          [&](hold until) {
            open.push_back(std::move(until));
            there = true;
          },
          plait::held);
      if (by_exception) {
        while (!there) std::this_thread::yield();
        throw std::runtime_error("leaves");
      }
    } catch (const std::runtime_error&) {
    }
  };
  EXPECT_DEATH(end(false), "the runtime ends while tasks are held.*'read a page'");
  EXPECT_DEATH(end(true), "the runtime ends while tasks are held.*'read a page'");
}

}  // namespace
