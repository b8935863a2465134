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

struct listening {
  int wakes;
  double lasted_s;
};

/// Listens until a look pays, while pieces of a message come 2 ms apart.
listening listen_to_pieces(double shortest_s, int pieces) {
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
  const ticks begin = now_ticks();
  int wakes = 0;
  while (!who.look_pays_else_sleep(looked_just_now(), nothing_expected)) ++wakes;
  const double lasted_s = ticks_to_seconds(now_ticks() - begin);
  sender.join();
  return {wakes, lasted_s};
}

TEST(attention, pieces_that_follow_each_other_do_not_wake_it_one_by_one) {
  const double shortest_s = 0.1;
  const listening l = listen_to_pieces(shortest_s, 40);
  EXPECT_LE(l.wakes, 3 + l.lasted_s / shortest_s);
}

TEST(attention, bytes_that_none_follow_are_looked_at) {
  EXPECT_LT(listen_to_pieces(1e-3, 1).lasted_s, long_s);
}

}  // namespace
}  // namespace plait
