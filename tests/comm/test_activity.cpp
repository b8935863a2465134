// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "comm/engine/activity.hpp"

namespace {

using plait::activity;
using plait::operation;

TEST(activity, what_was_posted_is_taken_up_in_its_order_and_counted) {
  activity state;
  std::array<operation, 5> ops;
  for (operation& op : ops) state.push(op);
  EXPECT_EQ(state.in_flight(), 0);
  const operation* at = state.take_posted();
  for (const operation& op : ops) {
    EXPECT_EQ(at, &op);
    at = at->next;
  }
  EXPECT_EQ(at, nullptr);
  EXPECT_EQ(state.in_flight(), 5);
  EXPECT_FALSE(state.any_posted());
  EXPECT_EQ(state.take_posted(), nullptr);
  EXPECT_EQ(state.in_flight(), 5);
}

TEST(activity, is_idle_only_while_nothing_is_posted_in_flight_or_served) {
  activity state;
  operation op;
  EXPECT_TRUE(state.is_idle());
  state.push(op);
  EXPECT_FALSE(state.is_idle());
  (void)state.take_posted();
  EXPECT_FALSE(state.is_idle());
  state.one_less();
  EXPECT_TRUE(state.is_idle());
  state.one_more_window();
  EXPECT_FALSE(state.is_idle());
  state.one_window_less();
  EXPECT_TRUE(state.is_idle());
}

TEST(activity, is_never_idle_while_an_operation_goes_from_the_stack_to_what_is_in_flight) {
  activity state;
  constexpr int rounds = 20'000;
  std::atomic<int> step{0};  // odd: an operation is on its way
  std::atomic<bool> over{false};
  int found_idle = 0;
  std::thread asks([&] {
    while (!over.load()) {
      const int asked_in = step.load();
      if (asked_in % 2 == 1 && state.is_idle() && step.load() == asked_in) ++found_idle;
    }
  });
  operation op;
  for (int i = 0; i < rounds; ++i) {
    state.push(op);
    ++step;
    (void)state.take_posted();
    ++step;
    state.one_less();
  }
  over = true;
  asks.join();
  EXPECT_EQ(found_idle, 0);
}

TEST(activity, threads_may_post_at_once_and_nothing_is_lost) {
  activity state;
  constexpr int threads = 3;
  constexpr int each = 2000;
  std::vector<std::vector<operation>> ops(threads, std::vector<operation>(each));
  std::vector<std::thread> posters;
  for (auto& own : ops) {
    posters.emplace_back([&] {
      for (operation& op : own) state.push(op);
    });
  }
  int taken = 0;
  while (taken < threads * each) {
    for (const operation* op = state.take_posted(); op != nullptr; op = op->next) ++taken;
  }
  for (std::thread& one : posters) one.join();
  EXPECT_EQ(state.in_flight(), threads * each);
  EXPECT_FALSE(state.any_posted());
}

}  // namespace
