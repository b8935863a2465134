// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <exception>
#include <vector>

#include <gtest/gtest.h>

#include "comm/engine/held/disturbance_queue.hpp"

namespace {

using plait::disturbance_queue;
using plait::now_ticks;
using plait::operation;
using plait::seconds_to_ticks;
using plait::ticks;

constexpr double longest_s = 10;

TEST(disturbance_queue, holds_nothing_back_without_a_probability) {
  disturbance_queue queue({.seed = 1, .probability = 0, .longest_delay_s = longest_s});
  operation op;
  EXPECT_FALSE(queue.is_on());
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(queue.wants(op));
}

TEST(disturbance_queue, holds_back_as_many_as_its_probability_says_and_not_for_too_long) {
  disturbance_queue queue({.seed = 1, .probability = 0.25, .longest_delay_s = longest_s});
  constexpr int tries = 10'000;
  int held = 0;
  for (int i = 0; i < tries; ++i) {
    operation op;
    const ticks before = now_ticks();
    if (!queue.wants(op)) continue;
    ++held;
    EXPECT_GE(op.held_until, before);
    EXPECT_LE(op.held_until, now_ticks() + seconds_to_ticks(longest_s));
  }
  EXPECT_NEAR(held, tries / 4, tries / 20);
}

TEST(disturbance_queue, the_same_seed_holds_back_the_same_operations) {
  const auto choices = [](std::uint64_t seed) {
    disturbance_queue queue({.seed = seed, .probability = 0.5, .longest_delay_s = longest_s});
    std::vector<bool> chosen;
    operation op;
    for (int i = 0; i < 100; ++i) chosen.push_back(queue.wants(op));
    return chosen;
  };
  EXPECT_EQ(choices(7), choices(7));
  EXPECT_NE(choices(7), choices(8));
}

TEST(disturbance_queue, gives_back_what_is_due_and_keeps_the_rest_until_all_is_wanted) {
  disturbance_queue queue({.seed = 1, .probability = 1, .longest_delay_s = longest_s});
  std::array<operation, 4> ops;
  for (std::size_t i = 0; i < ops.size(); ++i) ops[i].held_until = 100 * static_cast<ticks>(i);
  const auto failure = std::make_exception_ptr(1);
  queue.hold_start(ops[0]);
  queue.hold_start(ops[3]);
  queue.hold_completion(ops[1], failure);
  queue.hold_completion(ops[2], nullptr);

  std::vector<ticks> times;
  queue.for_each_time([&](ticks until) { times.push_back(until); });
  std::sort(times.begin(), times.end());
  EXPECT_EQ(times, (std::vector<ticks>{0, 100, 200, 300}));

  const auto due = queue.take_due(100, false);
  EXPECT_EQ(due.starts, std::vector<operation*>{&ops[0]});
  ASSERT_EQ(due.completions.size(), 1U);
  EXPECT_EQ(due.completions[0].first, &ops[1]);
  EXPECT_EQ(due.completions[0].second, failure);
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(queue.starts(), std::vector<operation*>{&ops[3]});

  const auto rest = queue.take_due(100, true);
  EXPECT_EQ(rest.starts, std::vector<operation*>{&ops[3]});
  ASSERT_EQ(rest.completions.size(), 1U);
  EXPECT_EQ(rest.completions[0].first, &ops[2]);
  EXPECT_TRUE(queue.empty());
}

TEST(disturbance_queue, changes_the_order_of_what_is_due_at_once) {
  disturbance_queue queue({.seed = 3, .probability = 1, .longest_delay_s = longest_s});
  std::array<operation, 32> ops;
  std::vector<operation*> in_order;
  for (operation& op : ops) {
    queue.hold_start(op);
    in_order.push_back(&op);
  }
  auto due = queue.take_due(now_ticks(), false).starts;
  EXPECT_NE(due, in_order);
  std::sort(due.begin(), due.end());
  EXPECT_EQ(due, in_order) << "the same operations";
}

}  // namespace
