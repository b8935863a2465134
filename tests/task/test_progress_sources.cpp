// SPDX-License-Identifier: BSD-3-Clause
// Sources of progress beside communication.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

namespace {

using namespace std::chrono_literals;
using plait::hold;
using plait::inout;
using plait::progress_source;
using plait::scheduler;
using plait::ticks;

/// Something that finishes holds when it is polled; it may tell that it can.
class pretended_ring : public progress_source {
 public:
  explicit pretended_ring(ticks wait) : wait_(wait) {}

  void take(hold until) {
    std::lock_guard lock(mutex_);
    started_.push_back(std::move(until));
  }
  void finish_what_was_started() { may_finish_.store(true, std::memory_order_seq_cst); }

  bool poll(bool) override {
    ++polls;
    if (!may_finish_.load(std::memory_order_seq_cst)) return false;
    std::vector<hold> ended;
    {
      std::lock_guard lock(mutex_);
      ended.swap(started_);
    }
    for (hold& one : ended) one.release();
    return !ended.empty();
  }
  /// 0 where there is something to finish: whoever is told between its poll and its sleep asks
  /// again.
  ticks idle_wait(ticks) override {
    std::lock_guard lock(mutex_);
    return may_finish_.load(std::memory_order_seq_cst) && !started_.empty() ? 0 : wait_;
  }
  bool needs_idle_workers() const noexcept override { return false; }
  ticks in_flight_until(ticks now) const override { return now; }
  bool cancel() override {
    cancelled = true;
    return true;
  }
  ticks due_at() const noexcept override { return due; }
  void passed(ticks) noexcept override {}

  std::atomic<int> polls{0};
  std::atomic<bool> cancelled{false};
  std::atomic<ticks> due{never};

 private:
  const ticks wait_;
  std::mutex mutex_;
  std::vector<hold> started_;
  std::atomic<bool> may_finish_{false};
};

class source_workers : public ::testing::TestWithParam<int> {
 protected:
  scheduler s{{.workers = GetParam(), .oversubscribed = true}};
};
INSTANTIATE_TEST_SUITE_P(progress_sources, source_workers, ::testing::Values(1, 3));

TEST_P(source_workers, idle_workers_poll_all_that_were_added) {
  pretended_ring first(0);
  pretended_ring second(plait::seconds_to_ticks(1e-4));
  s.add_progress(first);
  s.add_progress(second);
  first.finish_what_was_started();
  second.finish_what_was_started();
  int x = 0;
  for (int i = 0; i < 20; ++i) {
    s.task(
        "by a ring",
        [&](int& value, hold until) {
          ++value;
          (value % 2 == 0 ? first : second).take(std::move(until));
        },
        inout(x), plait::held);
  }
  s.wait();
  EXPECT_EQ(x, 20);
  EXPECT_GT(first.polls, 0);
  EXPECT_GT(second.polls, 0);
  s.remove_progress(first);
  s.remove_progress(second);
}

/// Whoever sleeps does so for ever.
TEST_P(source_workers, news_wakes_sleepers) {
  pretended_ring ring(progress_source::never);
  s.add_progress(ring);
  s.task(
      "by the ring", [&](hold until) { ring.take(std::move(until)); }, plait::held);
  std::thread news([&] {
    std::this_thread::sleep_for(5ms);
    ring.finish_what_was_started();
    s.wake_pollers();
  });
  s.wait();
  news.join();
  s.remove_progress(ring);
}

TEST_P(source_workers, what_was_removed_is_polled_no_more) {
  for (int i = 0; i < 200; ++i) {
    auto ring = std::make_unique<pretended_ring>(0);
    s.add_progress(*ring);
    if (i % 4 == 0) s.task("short", [] {});
    s.remove_progress(*ring);
  }
  s.wait();
}

TEST_P(source_workers, a_worker_between_two_tasks_polls_what_is_due) {
  pretended_ring ring(progress_source::never);
  ring.due = 1;
  s.add_progress(ring);
  std::atomic<bool> was_polled{false};
  int x = 0;
  for (int i = 0; i < 2000 && !was_polled; ++i) {
    s.task(
        "long",
        [&](int&) {
          const auto until = std::chrono::steady_clock::now() + 20us;
          while (std::chrono::steady_clock::now() < until) continue;
          if (ring.polls > 0) was_polled = true;
        },
        inout(x));
  }
  s.wait();
  EXPECT_GT(ring.polls, 0);
  s.remove_progress(ring);
}

TEST_P(source_workers, a_source_is_told_of_a_failure_and_is_no_communication) {
  pretended_ring ring(plait::seconds_to_ticks(1e-4));
  s.add_progress(ring);
  s.task("broken", [] { throw std::runtime_error("broken"); });
  EXPECT_THROW(s.wait(), std::runtime_error);
  EXPECT_TRUE(ring.cancelled);
  for (const plait::ledger_entry& e : s.ledger()) EXPECT_EQ(e.exposed_s, 0);
  s.remove_progress(ring);
}

TEST_P(source_workers, there_is_room_for_a_few) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // there are workers
  std::vector<std::unique_ptr<pretended_ring>> rings;
  for (std::size_t i = 0; i < scheduler::most_added_sources; ++i)
    s.add_progress(*rings.emplace_back(std::make_unique<pretended_ring>(progress_source::never)));
  pretended_ring one_more(progress_source::never);
  EXPECT_THROW(s.add_progress(one_more), plait::usage_error);
  for (const auto& ring : rings) s.remove_progress(*ring);
  EXPECT_DEATH(s.remove_progress(one_more), "was added to this scheduler");
}

/// Finishes what was begun when idle workers have polled a hundred times.
class patient_ring final : public pretended_ring {
 public:
  patient_ring() : pretended_ring(0) {}
  bool poll(bool again) override {
    if (polls == 100) finish_what_was_started();
    return pretended_ring::poll(again);
  }
};

TEST(progress_sources, time_with_nothing_to_run_while_a_task_is_held_is_on_hold) {
  scheduler s({.workers = 1});
  patient_ring ring;
  s.add_progress(ring);
  s.reset_ledger();
  s.task(
      "by the ring", [&](hold until) { ring.take(std::move(until)); }, plait::held);
  s.wait();
  const plait::ledger_entry e = s.ledger()[0];
  EXPECT_GT(e.held_s, 0);
  EXPECT_EQ(e.exposed_s, 0);
  s.remove_progress(ring);
}

/// The worker is in a long task, so that nobody but the helper can poll.
TEST(progress_sources, the_helper_polls_and_finishes_tasks_for_anyone) {
  scheduler s({.workers = 1});
  std::atomic<int> calls{0};
  s.add_helper("proxy", [&calls] { ++calls; });
  pretended_ring ring(progress_source::never);
  ring.due = 7;
  s.add_progress(ring);
  std::atomic<bool> stops{false};
  std::thread helper([&] {
    for (int seen = 0; !stops;) {
      if (seen == calls) continue;
      seen = calls;
      EXPECT_EQ(s.help_and_poll(), 7);
    }
  });
  std::atomic<bool> followed{false};
  int x = 0;
  ring.finish_what_was_started();
  s.task(
       "by the ring", [&](int&, hold until) { ring.take(std::move(until)); }, inout(x), plait::held)
      .target(plait::anyone);
  s.task(
       "next", [&followed](int&) { followed = true; }, inout(x))
      .target(plait::anyone);
  s.task("long", [&] {
     s.wake_pollers();
     while (!followed) std::this_thread::yield();
   }).priority(plait::low);
  s.wait();
  stops = true;
  helper.join();
  EXPECT_GT(calls, 0);
  s.remove_progress(ring);
}

}  // namespace
