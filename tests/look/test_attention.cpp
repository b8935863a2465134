// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "connection.hpp"
#include "look/attention.hpp"

namespace plait {
namespace {

constexpr double long_s = 20;

/// Nobody expects anything, so few bytes are no news by themselves.
constexpr auto nothing_expected = [](const socket_news&) { return 0; };

pace_facts looked_just_now() {
  const ticks now = now_ticks();
  return {.now = now, .last_look = now, .moved = now, .is_told = true};
}

/// Makes connections known, whose first news is that they can be written to.
void skip_first_news(attention& who) {
  pace_limits& limits = who.limits();
  const ticks worst = std::exchange(limits.worst, seconds_to_ticks(1e-3));
  (void)who.look_pays_else_sleep(looked_just_now(), nothing_expected);
  limits.worst = worst;
  who.looked(true);
}

/// How often this wakes before a look pays, while pieces of a message come 2 ms apart.
int wakes_for_pieces(double shortest_s, int pieces) {
  connection c;
  pace_limits limits = pace_limits::up_to(long_s);
  limits.shortest = seconds_to_ticks(shortest_s);
  attention who(limits);
  skip_first_news(who);
  std::thread sender([&] {
    for (int i = 0; i < pieces; ++i) {
      c.send(100);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  int wakes = 0;
  while (!who.look_pays_else_sleep(looked_just_now(), nothing_expected)) ++wakes;
  sender.join();
  return wakes;
}

TEST(attention, pieces_that_follow_each_other_do_not_wake_it_one_by_one) {
  EXPECT_LE(wakes_for_pieces(0.1, 40), 10);
}

TEST(attention, bytes_that_none_follow_are_looked_at) {
  EXPECT_LE(wakes_for_pieces(1e-3, 1), 5);
}

}  // namespace
}  // namespace plait
