// SPDX-License-Identifier: BSD-3-Clause
// Promise 6: the parts add up to the wall time.  No test here asks how long anything took.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

namespace {

using plait::inout;
using plait::scheduler;

void expect_balance(const scheduler& s, const std::string& what) {
  const plait::ledger ledger = s.ledger();
  ASSERT_EQ(ledger.size(), static_cast<std::size_t>(s.workers()));
  for (const auto& e : ledger) {
    EXPECT_LT(e.balance_error(), 0.01)
        << what << ", worker " << e.worker << ": compute " << e.compute_s << ", posting "
        << e.posting_s << ", exposed " << e.exposed_s << ", overhead " << e.overhead_s << ", idle "
        << e.idle_s << ", wall " << e.wall_s;
    for (const double part : {e.compute_s, e.posting_s, e.exposed_s, e.overhead_s, e.idle_s}) {
      EXPECT_GE(part, 0) << what << ", worker " << e.worker;
    }
  }
}

void pause_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

class ledger_workers : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  [[nodiscard]] plait::scheduler_options options() const {
    return {.workers = std::get<0>(GetParam()), .oversubscribed = std::get<1>(GetParam())};
  }
};
INSTANTIATE_TEST_SUITE_P(ledger, ledger_workers,
                         ::testing::Combine(::testing::Values(1, 2, 4), ::testing::Bool()));

TEST_P(ledger_workers, it_balances_while_workers_sleep) {
  scheduler s{options()};
  pause_ms(50);
  expect_balance(s, "before any task");
  s.wait();
  pause_ms(20);
  expect_balance(s, "after an empty wait");
}

TEST_P(ledger_workers, it_balances_over_tiny_tasks) {
  scheduler s{options()};
  std::vector<int> x(64, 0);
  for (std::size_t i = 0; i < 30'000; ++i)
    s.task(
        "tiny", [](int& n) { ++n; }, inout(x[i % 64]));
  s.wait();
  expect_balance(s, "tiny tasks");
}

TEST_P(ledger_workers, it_balances_over_long_tasks_and_pauses) {
  scheduler s{options()};
  s.reset_ledger();
  std::vector<int> x(3, 0);
  for (std::size_t i = 0; i < 12; ++i)
    s.task(
        "long", [](int&) { pause_ms(3); }, inout(x[i % 3]));
  pause_ms(10);
  s.wait();
  pause_ms(10);
  expect_balance(s, "long tasks");
}

TEST_P(ledger_workers, it_starts_anew_after_a_reset) {
  scheduler s{options()};
  int x = 0;
  for (int round = 0; round < 4; ++round) {
    s.reset_ledger();
    const double before = s.ledger()[0].wall_s;
    for (int i = 0; i < 5; ++i)
      s.task(
          "task", [](int&) { pause_ms(4); }, inout(x));
    s.wait();
    expect_balance(s, "round " + std::to_string(round));
    EXPECT_GT(s.ledger()[0].wall_s, before);
  }
}

/// Slow to submit, quick to run.
struct slow_to_copy {
  slow_to_copy() = default;
  slow_to_copy(const slow_to_copy&) { pause_ms(20); }
  void operator()() const {}
};

TEST_P(ledger_workers, no_part_is_negative_when_the_usual_overhead_exceeds_the_time_since_a_reset) {
  scheduler s{options()};
  s.task("first", slow_to_copy{});  // all there is to learn from
  s.wait();
  pause_ms(5);
  s.reset_ledger();
  s.task("second", [] {});
  s.wait();
  expect_balance(s, "a short time");
}

TEST_P(ledger_workers, it_balances_after_a_task_has_thrown) {
  scheduler s{options()};
  s.task("throws", [] {
    pause_ms(5);
    throw 1;
  });
  EXPECT_THROW(s.wait(), int);
  pause_ms(20);
  expect_balance(s, "after an exception");
}

TEST(ledger, tasks_and_the_program_between_them_are_charged_as_compute) {
  scheduler s{{.workers = 1}};
  s.reset_ledger();
  s.task("sleeps", [] { pause_ms(20); });
  s.wait();
  pause_ms(20);
  const auto e = s.ledger()[0];
  EXPECT_GE(e.compute_s, 0.040);
  EXPECT_EQ(e.exposed_s, 0) << "there is no communication";
}

/// Communication that is in flight for as long as it is told.
class pretended_flight final : public plait::progress_source {
 public:
  void take_off() { from_ = plait::now_ticks(); }
  void land() { to_ = plait::now_ticks(); }
  /// Returns when the thread that made this has nothing else to do.
  void wait_for_idle_maker() const { waited_for_.wait(false); }

  bool poll(bool) override { return false; }
  [[nodiscard]] plait::ticks idle_wait(plait::ticks) override {
    if (std::this_thread::get_id() == maker_) {
      waited_for_ = true;
      waited_for_.notify_all();
    }
    return plait::seconds_to_ticks(1e-4);
  }
  [[nodiscard]] plait::ticks in_flight_until(plait::ticks now) const override {
    return std::max<plait::ticks>(0, std::min<plait::ticks>(now, to_) - from_);
  }
  bool cancel() override { return true; }
  [[nodiscard]] bool needs_idle_workers() const noexcept override { return false; }
  void passed(plait::ticks) noexcept override {}
  [[nodiscard]] plait::ticks due_at() const noexcept override { return never; }

 private:
  const std::thread::id maker_ = std::this_thread::get_id();
  std::atomic<bool> waited_for_{false};
  std::atomic<plait::ticks> from_{never};
  std::atomic<plait::ticks> to_{never};
};

TEST(ledger, waiting_while_communication_is_in_flight_is_exposed) {
  using namespace plait::detail;
  pretended_flight flight;
  scheduler s{{.workers = 2, .progress = &flight}};
  s.reset_ledger();
  static std::atomic<task_node*> started;
  started = nullptr;
  task_node& node = s.allocate("message", node_kind::asynchronous);
  node.act = [](task_node& self, node_action action) {
    if (action == node_action::run) started = &self;
  };
  flight.take_off();
  s.submit(node);
  plait::ticks in_flight = 0;
  plait::ticks on_ground = 0;
  std::thread network([&] {
    flight.wait_for_idle_maker();
    const plait::ticks begin = plait::now_ticks();
    pause_ms(40);
    in_flight = plait::now_ticks() - begin;
    flight.land();
    const plait::ticks landed = plait::now_ticks();
    pause_ms(10);
    on_ground = plait::now_ticks() - landed;
    s.complete(*started.load());
  });
  s.wait();
  network.join();
  expect_balance(s, "one message");
  const auto e = s.ledger()[0];
  EXPECT_GE(e.exposed_s, plait::ticks_to_seconds(in_flight));
  EXPECT_GE(e.idle_s, plait::ticks_to_seconds(on_ground)) << "nothing was in flight at the end";
}

TEST(ledger, what_was_open_at_a_reset_is_taken_from_what_it_became) {
  using sums = plait::detail::account::sums;  // compute, posting, exposed, overhead, idle
  const auto settled = [](sums of) {
    plait::detail::settle_what_was_open(of);
    return of;
  };
  EXPECT_EQ(settled({1, 2, 3, 4, 5}), (sums{1, 2, 3, 4, 5}));
  EXPECT_EQ(settled({-3, 0, 0, 5, 9}), (sums{0, 0, 0, 2, 9})) << "from overhead first";
  EXPECT_EQ(settled({5, 0, 0, -3, 9}), (sums{2, 0, 0, 0, 9}));
  EXPECT_EQ(settled({0, 0, 0, -3, 9}), (sums{0, 0, 0, 0, 6})) << "a worker that fell asleep";
  EXPECT_EQ(settled({1, 0, 0, 8, -3}), (sums{1, 0, 0, 5, 0})) << "a worker that woke";
}

TEST(account, what_is_owed_is_taken_from_the_time_until_the_clock_is_read) {
  using plait::activity;
  plait::detail::account a(1000);
  const auto booked = [&a](activity what) {
    return a.snapshot().booked[static_cast<std::size_t>(what)];
  };
  a.owe(30);
  a.owe(40);
  EXPECT_TRUE(a.owes());
  EXPECT_EQ(a.last(), 1000) << "nothing is booked before the clock is read";
  EXPECT_EQ(a.snapshot().owed, 70);
  a.charge(activity::posting, 1500);
  EXPECT_FALSE(a.owes());
  EXPECT_EQ(a.snapshot().owed, 0);
  EXPECT_EQ(booked(activity::overhead), 70);
  EXPECT_EQ(booked(activity::compute), 430);
  EXPECT_EQ(booked(activity::posting), 0) << "of that time nobody knows";
  a.owe(100);
  a.charge_most(activity::compute, 1600, 20);
  EXPECT_EQ(booked(activity::overhead), 170) << "no more than there is";
  EXPECT_EQ(booked(activity::compute), 430);
}

TEST_P(ledger_workers, a_long_task_after_many_short_ones_is_its_own_time) {
  scheduler s{options()};
  std::atomic<plait::ticks> inside{0};
  std::vector<int> x(8, 0);
  s.reset_ledger();
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < 500; ++i)
      s.task(
          "short", [](int& n) { ++n; }, inout(x[i % x.size()]));
    s.task("long", [&inside] {
      const plait::ticks begin = plait::now_ticks();
      const plait::ticks until = begin + plait::seconds_to_ticks(1e-3);
      while (plait::now_ticks() < until) continue;
      inside += plait::now_ticks() - begin;
    });
  }
  s.wait();
  double compute_s = 0;
  for (const auto& e : s.ledger()) compute_s += e.compute_s;
  EXPECT_GE(compute_s, 0.95 * plait::ticks_to_seconds(inside.load()));
  expect_balance(s, "after a mixture");
}

/// Due at any time; each poll takes a while and completes what was started, on the thread that
/// polls.
class slow_poll final : public plait::progress_source {
 public:
  scheduler* tasks = nullptr;
  std::vector<plait::detail::task_node*> started;
  plait::ticks inside = 0;
  int polls = 0;

  bool poll(bool) override {
    ++polls;
    if (started.empty()) return false;
    const plait::ticks begin = plait::now_ticks();
    while (plait::now_ticks() < begin + plait::seconds_to_ticks(2e-4)) continue;
    auto* node = started.back();
    started.pop_back();
    tasks->complete(*node);
    inside += plait::now_ticks() - begin;
    return true;
  }
  [[nodiscard]] plait::ticks idle_wait(plait::ticks) override {
    return started.empty() ? never : 0;
  }
  [[nodiscard]] plait::ticks in_flight_until(plait::ticks) const override { return 0; }
  bool cancel() override { return true; }
  [[nodiscard]] bool needs_idle_workers() const noexcept override { return true; }
  void passed(plait::ticks) noexcept override {}
  [[nodiscard]] plait::ticks due_at() const noexcept override { return 0; }
};

void spin(double seconds) {
  const plait::ticks until = plait::now_ticks() + plait::seconds_to_ticks(seconds);
  while (plait::now_ticks() < until) continue;
}

TEST(ledger, a_poll_between_tasks_is_posting_whatever_it_completes_and_posts) {
  using namespace plait::detail;
  static slow_poll* source;
  slow_poll polled;
  source = &polled;
  scheduler s{{.workers = 1, .progress = &polled}};
  polled.tasks = &s;
  int x = 0;
  const auto message = [&] {
    task_node& node = s.allocate("message", node_kind::asynchronous);
    node.act = [](task_node& self, node_action action) {
      if (action == node_action::run || action == node_action::run_again)
        source->started.push_back(&self);
    };
    const auto begin = reinterpret_cast<std::uintptr_t>(&x);
    s.add_access(node, {begin, begin + sizeof x}, plait::access_mode::inout);
    s.submit(node);
  };
  plait::graph g = s.record([&] {
    message();
    for (int i = 0; i < 4; ++i) s.task("busy", [] { spin(5e-6); });
  });
  s.reset_ledger();
  s.replay(g, 200);
  s.wait();
  const auto e = s.ledger()[0];
  EXPECT_GE(e.posting_s + e.idle_s, 0.999 * plait::ticks_to_seconds(polled.inside))
      << "compute " << e.compute_s << ", posting " << e.posting_s << ", idle " << e.idle_s;
  expect_balance(s, "slow polls");
}

TEST(ledger, a_poll_that_is_due_comes_between_two_long_tasks_after_short_ones_too) {
  slow_poll polled;
  scheduler s{{.workers = 1, .progress = &polled}};
  int x = 0;
  std::vector<int> polls;
  const auto submit = [&] {
    for (int i = 0; i < 40; ++i)
      s.task(
          "short", [](int& n) { ++n; }, inout(x));
    for (int i = 0; i < 6; ++i)
      s.task(
          "long",
          [&](int& n) {
            ++n;
            polls.push_back(polled.polls);
            spin(3e-4);
          },
          inout(x));
  };
  const auto without = [&] {
    int count = 0;
    for (std::size_t i = 1; i < polls.size(); ++i)
      count += i % 6 != 0 && polls[i] == polls[i - 1] ? 1 : 0;
    return count;
  };
  for (int round = 0; round < 10; ++round) submit();
  s.wait();
  EXPECT_EQ(without(), 0) << "of 50 pairs of tasks submitted one by one";
  polls.clear();
  plait::graph g = s.record(submit);
  s.replay(g, 20);
  s.wait();
  EXPECT_EQ(without(), 0) << "of 100 pairs of recorded tasks";
}

TEST(ledger, an_entry_of_no_time_balances) {
  EXPECT_EQ(plait::ledger_entry{}.balance_error(), 0);
  plait::ledger_entry e;
  e.wall_s = 2;
  e.compute_s = 1;
  e.idle_s = 0.9;
  EXPECT_NEAR(e.balance_error(), 0.05, 1e-12);
}

}  // namespace
