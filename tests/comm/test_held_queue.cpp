// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <exception>
#include <vector>

#include <gtest/gtest.h>

#include "comm/engine/held/disturber.hpp"
#include "comm/engine/held/held_queue.hpp"

namespace {

using plait::disturber;
using plait::held_queue;
using plait::now_ticks;
using plait::operation;
using plait::seconds_to_ticks;
using plait::ticks;
using why = held_queue::why;

constexpr double longest_s = 10;

TEST(disturber, holds_nothing_back_without_a_probability) {
  disturber random({.seed = 1, .probability = 0, .longest_delay_s = longest_s});
  EXPECT_FALSE(random.is_on());
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(random.delay());
  std::vector<int> list{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<int> before = list;
  random.reorder(list);
  EXPECT_EQ(list, before);
}

TEST(disturber, holds_back_as_many_as_its_probability_says_and_not_for_too_long) {
  disturber random({.seed = 1, .probability = 0.25, .longest_delay_s = longest_s});
  constexpr int tries = 10'000;
  int held = 0;
  for (int i = 0; i < tries; ++i) {
    const ticks before = now_ticks();
    const auto until = random.delay();
    if (!until) continue;
    ++held;
    EXPECT_GE(*until, before);
    EXPECT_LE(*until, now_ticks() + seconds_to_ticks(longest_s));
  }
  EXPECT_NEAR(held, tries / 4, tries / 20);
}

TEST(disturber, the_same_seed_chooses_and_orders_likewise) {
  const auto choices = [](std::uint64_t seed) {
    disturber random({.seed = seed, .probability = 0.5, .longest_delay_s = longest_s});
    std::vector<int> chosen;
    for (int i = 0; i < 100; ++i) chosen.push_back(random.delay() ? i : -1);
    random.reorder(chosen);
    return chosen;
  };
  EXPECT_EQ(choices(7), choices(7));
  EXPECT_NE(choices(7), choices(8));
}

std::vector<operation*> operations_of(const std::vector<held_queue::entry>& entries) {
  std::vector<operation*> all;
  for (const auto& one : entries) all.push_back(one.op);
  return all;
}

TEST(held_queue, gives_back_what_is_due_and_keeps_the_rest) {
  held_queue queue;
  std::array<operation, 4> ops;
  const auto failure = std::make_exception_ptr(1);
  queue.hold({&ops[3], why::delayed_start, 300});
  queue.hold({&ops[0], why::delayed_start, 0});
  queue.hold({&ops[1], why::delayed_completion, 100, held_queue::never, failure});
  queue.hold({&ops[2], why::for_its_send, 200});
  EXPECT_EQ(queue.next_due(), 0);
  EXPECT_TRUE(queue.is_due(0));

  const auto due = queue.take_due(100);
  EXPECT_EQ(operations_of(due), (std::vector<operation*>{&ops[0], &ops[1]}));
  EXPECT_EQ(due[1].failure, failure);
  EXPECT_EQ(queue.next_due(), 200);
  EXPECT_FALSE(queue.is_due(100));

  EXPECT_EQ(operations_of(queue.take_all(why::for_its_send)), std::vector<operation*>{&ops[2]});
  EXPECT_EQ(operations_of(queue.take_due(held_queue::never)), std::vector<operation*>{&ops[3]});
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_due(), held_queue::never);
}

TEST(held_queue, what_is_released_is_not_given_back) {
  held_queue queue;
  std::array<operation, 2> ops;
  for (operation& op : ops) queue.hold({&op, why::for_its_send, 0});
  queue.release(ops[0]);
  EXPECT_EQ(operations_of(queue.take_due(0)), std::vector<operation*>{&ops[1]});
}

TEST(held_queue, a_rest_ends_the_wait_of_what_says_so) {
  held_queue queue;
  std::array<operation, 2> ops;
  queue.hold({&ops[0], why::for_its_send, 1000, 50});
  queue.hold({&ops[1], why::delayed_start, 1000});
  queue.note_rest(100);
  EXPECT_FALSE(queue.is_due(149));
  EXPECT_TRUE(queue.is_due(150));
  EXPECT_EQ(operations_of(queue.take_due(150)), std::vector<operation*>{&ops[0]});
  EXPECT_FALSE(queue.is_due(500)) << "a delay knows no rest";
}

}  // namespace
