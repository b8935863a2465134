// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

namespace {

using plait::inout;
using plait::scheduler;

class wait_while : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(task, wait_while, ::testing::Values(1, 2));

void sleep_a_while() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST_P(wait_while, asks_between_tasks_and_waits_for_all) {
  scheduler s{{.workers = GetParam()}};
  int done = 0;
  int asked = 0;
  for (int i = 0; i < 40; ++i) {
    s.task(
        "step",
        [](int& n) {
          sleep_a_while();
          ++n;
        },
        inout(done));
  }
  EXPECT_TRUE(s.wait_while([&] { return ++asked > 0; }));
  EXPECT_EQ(done, 40);
  // 40 tasks of 5 ms, and a question in 50, where this thread runs them.
  if (GetParam() == 1) EXPECT_GE(asked, 1);
}

TEST_P(wait_while, ends_early_and_may_be_called_again) {
  scheduler s{{.workers = GetParam()}};
  std::atomic<bool> may_end{false};
  int x = 0;
  s.task(
      "long",
      [&may_end, here = std::this_thread::get_id()](int& n) {
        while (!may_end && std::this_thread::get_id() != here) sleep_a_while();
        ++n;
      },
      inout(x));
  for (int i = 0; i < 60; ++i) {
    s.task(
        "next",
        [](int& n) {
          sleep_a_while();
          ++n;
        },
        inout(x));
  }
  EXPECT_FALSE(s.wait_while([] { return false; }));
  may_end = true;
  EXPECT_TRUE(s.wait_while([] { return true; }));
  EXPECT_EQ(x, 61);
}

TEST_P(wait_while, asks_while_nothing_can_run) {
  scheduler s{{.workers = GetParam()}};
  plait::detail::task_node& never = s.allocate("message", plait::detail::node_kind::asynchronous);
  never.act = [](plait::detail::task_node&, plait::detail::node_action) {};
  s.submit(never);
  int asked = 0;
  EXPECT_FALSE(s.wait_while([&] { return ++asked < 3; }));
  EXPECT_EQ(asked, 3);
  s.complete(never);
  s.wait();
}

TEST_P(wait_while, rethrows_what_a_task_has_thrown) {
  scheduler s{{.workers = GetParam()}};
  int x = 0;
  s.task(
      "fails", [](int&) { throw std::runtime_error("as asked"); }, inout(x));
  EXPECT_THROW((void)s.wait_while([] { return true; }), std::runtime_error);
}

TEST_P(wait_while, has_room_until_the_limit_is_reached) {
  scheduler s{{.workers = GetParam(), .in_flight = 4}};
  std::atomic<bool> may_end{false};
  bool in_task = true;
  int x = 0;
  s.task(
      "holds",
      [&](int&) {
        in_task = s.has_room();
        while (!may_end) sleep_a_while();
      },
      inout(x));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(s.has_room());
    s.task(
        "next", [](int& n) { ++n; }, inout(x));
  }
  EXPECT_FALSE(s.has_room());
  may_end = true;
  s.wait();
  EXPECT_FALSE(in_task);
  EXPECT_EQ(x, 3);
}

}  // namespace
