// SPDX-License-Identifier: BSD-3-Clause
// A scheduler in which nothing moves says which tasks wait, and for which.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "stall_listener.hpp"

namespace {

using namespace std::chrono_literals;
using plait::access_mode;
using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;
using plait::stall;
using plait::task_name;
using plait::detail::node_action;
using plait::detail::node_kind;
using plait::detail::task_node;
using listener = plait::test::stall_listener;

/// Submits an operation on x that is started, and left for the test to complete.
task_node& open_operation(scheduler& s, task_name name, int& x, access_mode mode) {
  task_node& node = s.allocate(name, node_kind::asynchronous);
  node.act = [](task_node&, node_action) {};
  const auto begin = reinterpret_cast<std::uintptr_t>(&x);
  s.add_access(node, {begin, begin + sizeof x}, mode);
  s.submit(node);
  return node;
}

void copy(const int& from, int& to) {
  to = from;
}

class stall_workers : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(stall, stall_workers, ::testing::Values(1, 3));

TEST_P(stall_workers, a_task_is_named_with_the_operation_it_waits_for) {
  listener l;
  scheduler s{l.options(GetParam())};
  int ghost = 1;
  int rim = 0;
  int result = 0;
  task_node& receive = open_operation(s, "ghost", ghost, access_mode::out);
  s.task("done before", [] {});
  s.task("rim", copy, in(ghost), out(rim));
  s.task("result", copy, in(rim), out(result));
  l.then([&] { s.complete(receive); });
  s.wait();
  EXPECT_EQ(result, 1);
  ASSERT_EQ(l.reports.size(), 1U);
  const auto& lines = l.reports[0];
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].name, "ghost");
  EXPECT_EQ(lines[0].is, stall::state::started);
  EXPECT_EQ(lines[0].waits_for, std::vector<std::string>{});
  EXPECT_EQ(lines[1].name, "rim");
  EXPECT_EQ(lines[1].is, stall::state::waiting);
  EXPECT_EQ(lines[1].waits_for, std::vector<std::string>{"ghost"});
  EXPECT_EQ(lines[2].name, "result");
  EXPECT_EQ(lines[2].waits_for, std::vector<std::string>{"rim"});
  EXPECT_EQ(lines[2].iteration, 0U);
}

TEST_P(stall_workers, an_operation_that_cannot_start_is_named_with_what_it_waits_for) {
  listener l;
  scheduler s{l.options(GetParam())};
  int x = 0;
  task_node& first = open_operation(s, "receive", x, access_mode::out);
  task_node& second = open_operation(s, "send", x, access_mode::in);
  l.then([&] { s.complete(l.reports.size() == 1 ? first : second); });
  s.wait();
  ASSERT_EQ(l.reports.size(), 2U);
  ASSERT_EQ(l.reports[0].size(), 2U);
  EXPECT_EQ(l.reports[0][1].name, "send");
  EXPECT_EQ(l.reports[0][1].is, stall::state::waiting);
  EXPECT_EQ(l.reports[0][1].waits_for, std::vector<std::string>{"receive"});
  ASSERT_EQ(l.reports[1].size(), 1U);
  EXPECT_EQ(l.reports[1][0].name, "send");
  EXPECT_EQ(l.reports[1][0].is, stall::state::started);
}

TEST_P(stall_workers, all_that_a_task_waits_for_is_listed) {
  listener l;
  scheduler s{l.options(GetParam())};
  constexpr std::size_t count = 10;  // more than a node has edges of its own
  std::vector<int> x(count, 1);
  int sum = 0;
  std::vector<task_node*> receives;
  for (int& one : x) receives.push_back(&open_operation(s, "receive", one, access_mode::out));
  s.task(
      "sum",
      [](const std::vector<int>& from, int& to) {
        for (const int one : from) to += one;
      },
      in(x), inout(sum));
  l.then([&] {
    s.complete(*receives.back());
    receives.pop_back();
  });
  s.wait();
  EXPECT_EQ(sum, 10);
  ASSERT_EQ(l.reports.size(), count) << "each is a standstill of its own";
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(l.reports[i].back().name, "sum");
    EXPECT_EQ(l.reports[i].back().waits_for, std::vector<std::string>(count - i, "receive"));
  }
}

TEST_P(stall_workers, a_standstill_is_reported_once_however_long_it_lasts) {
  listener l;
  scheduler s{l.options(GetParam(), 4096, 0.02)};
  int x = 0;
  task_node& receive = open_operation(s, "receive", x, access_mode::out);
  std::thread late([&] {
    while (l.count == 0) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(200ms);
    s.complete(receive);
  });
  s.wait();
  late.join();
  EXPECT_EQ(l.reports.size(), 1U);
}

// The in-flight limit is reached: full of tasks behind the operation, and the program has more to
// submit.
TEST_P(stall_workers, a_submission_that_waits_for_room_reports_too) {
  listener l;
  scheduler s{l.options(GetParam(), 2)};
  int x = 1;
  int y = 0;
  task_node& receive = open_operation(s, "receive", x, access_mode::out);
  l.then([&] { s.complete(receive); });
  for (int i = 0; i < 5; ++i) {
    s.task(
        "add", [](const int& from, int& to) { to += from; }, in(x), inout(y));
  }
  EXPECT_EQ(l.reports.size(), 1U);
  s.wait();
  EXPECT_EQ(y, 5);
  ASSERT_EQ(l.reports.size(), 1U);
  EXPECT_EQ(l.reports[0].size(), 3U);
}

TEST(stall, a_task_that_runs_long_is_named_with_its_worker) {
  listener l;
  scheduler s{l.options(2)};
  std::atomic<bool> begun{false};
  std::atomic<bool> enough{false};
  int x = 0;
  s.task(
      "long",
      [&](int&) {
        begun = true;
        while (!enough) std::this_thread::sleep_for(1ms);
      },
      inout(x));
  s.task(
      "after", [](int& n) { ++n; }, inout(x));
  while (!begun) std::this_thread::sleep_for(1ms);  // on the other worker: this one is here
  l.then([&] { enough = true; });
  s.wait();
  ASSERT_EQ(l.reports.size(), 1U);
  ASSERT_EQ(l.reports[0].size(), 2U);
  EXPECT_EQ(l.reports[0][0].name, "long");
  EXPECT_EQ(l.reports[0][0].is, stall::state::running);
  EXPECT_EQ(l.reports[0][0].worker, 1);
  EXPECT_EQ(l.reports[0][1].waits_for, std::vector<std::string>{"long"});
}

TEST_P(stall_workers, a_program_that_moves_is_not_reported) {
  listener l;
  scheduler s{l.options(GetParam(), 16, 60)};
  int x = 0;
  for (int i = 0; i < 1000; ++i) {
    s.task(
        "add", [](int& n) { ++n; }, inout(x));
  }
  s.wait();
  EXPECT_EQ(x, 1000);
  EXPECT_TRUE(l.reports.empty());
}

TEST_P(stall_workers, nothing_is_reported_when_switched_off) {
  listener l;
  scheduler s{l.options(GetParam(), 4096, 0)};
  int x = 0;
  task_node& receive = open_operation(s, "receive", x, access_mode::out);
  std::thread late([&] {
    std::this_thread::sleep_for(50ms);
    s.complete(receive);
  });
  s.wait();
  late.join();
  EXPECT_TRUE(l.reports.empty());
}

/// One iteration: an operation on x, which completes at once but in those iterations that the test
/// wants to stall.
struct loop {
  scheduler& s;
  int x = 0;
  int y = 0;
  int z = 0;
  int iteration = 0;
  int stalls_in = 0;
  task_node* open = nullptr;

  void submit() {
    task_node& node = s.allocate("receive", node_kind::asynchronous);
    *reinterpret_cast<loop**>(node.storage) = this;
    node.act = [](task_node& self, node_action action) {
      if (action != node_action::run_again) return;
      loop& l = **reinterpret_cast<loop**>(self.storage);
      ++l.x;
      if (++l.iteration == l.stalls_in) {
        l.open = &self;
      } else {
        l.s.complete(self);
      }
    };
    const auto begin = reinterpret_cast<std::uintptr_t>(&x);
    s.add_access(node, {begin, begin + sizeof x}, access_mode::out);
    s.submit(node);
    s.task(
        "use", [](const int& from, int& to) { to += from; }, in(x), inout(y));
    s.task(
        "count", [](int& n) { ++n; }, inout(z));
  }
};

TEST_P(stall_workers, a_replay_names_the_iteration) {
  listener l;
  scheduler s{l.options(GetParam())};
  loop body{s};
  body.stalls_in = 3;
  plait::graph g = s.record([&] { body.submit(); });
  l.then([&] { s.complete(*body.open); });
  for (int replay = 0; replay < 2; ++replay) {  // the second time nothing stalls
    s.replay(g, 10);
    s.wait();
  }
  EXPECT_EQ(body.y, 20 * 21 / 2);
  EXPECT_EQ(body.z, 20);
  ASSERT_EQ(l.reports.size(), 1U);
  const auto& lines = l.reports[0];
  ASSERT_EQ(lines.size(), 2U) << "'count' has run ten times";
  EXPECT_EQ(lines[0].name, "receive");
  EXPECT_EQ(lines[0].is, stall::state::started);
  EXPECT_EQ(lines[0].iteration, 3U);
  EXPECT_EQ(lines[1].name, "use");
  EXPECT_EQ(lines[1].is, stall::state::waiting);
  EXPECT_EQ(lines[1].iteration, 3U);
  EXPECT_EQ(lines[1].waits_for, std::vector<std::string>{"receive"});
}

// "use" of iteration 1 still runs, and so "receive" of iteration 2 cannot start.
TEST(stall, a_replay_names_what_the_next_iteration_waits_for) {
  listener l;
  scheduler s{l.options(2)};
  std::atomic<bool> begun{false};
  std::atomic<bool> enough{false};
  int x = 0;
  int y = 0;
  plait::graph g = s.record([&] {
    s.task(
        "make", [](int& n) { ++n; }, inout(x));
    s.task(
        "use",
        [&begun, &enough](const int&, int& n) {
          begun = true;
          while (!enough) std::this_thread::sleep_for(1ms);
          ++n;
        },
        in(x), inout(y));
  });
  l.then([&] { enough = true; });
  s.replay(g, 4);
  while (!begun) std::this_thread::sleep_for(1ms);  // on the other worker: this one is here
  s.wait();
  EXPECT_EQ(x, 4);
  EXPECT_EQ(y, 4);
  ASSERT_EQ(l.reports.size(), 1U);
  ASSERT_EQ(l.reports[0].size(), 2U);
  EXPECT_EQ(l.reports[0][0].name, "make");
  EXPECT_EQ(l.reports[0][0].is, stall::state::waiting);
  EXPECT_EQ(l.reports[0][0].iteration, 2U);
  EXPECT_EQ(l.reports[0][0].waits_for, std::vector<std::string>{"use"});
  EXPECT_EQ(l.reports[0][1].is, stall::state::running);
  EXPECT_EQ(l.reports[0][1].iteration, 1U);
  EXPECT_EQ(l.reports[0][1].worker, 1);
}

}  // namespace
