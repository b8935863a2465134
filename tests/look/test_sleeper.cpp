// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "look/sleeper.hpp"

namespace plait {
namespace {

using depth = sleeper::depth;
constexpr double sleep_s = 20;

/// Runs `sleep` in a thread, wakes it from `from` on until it has returned, and says how long that
/// took.
double woken_after_s(sleeper& who, depth from, const auto& sleep) {
  std::atomic<bool> returned{false};
  const auto begin = std::chrono::steady_clock::now();
  std::thread thread([&] {
    sleep();
    returned.store(true);
  });
  while (!returned.load()) {
    who.wake(from);
    std::this_thread::yield();
  }
  thread.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(sleeper, each_sleep_is_ended_by_a_wake_from_it_on) {
  sleeper who;
  const ticks long_time = seconds_to_ticks(sleep_s);
  EXPECT_LT(woken_after_s(who, depth::naps, [&] { who.nap(long_time); }), sleep_s);
  EXPECT_LT(woken_after_s(who, depth::listens, [&] { (void)who.listen(long_time); }), sleep_s);
  EXPECT_LT(woken_after_s(who, depth::rests, [&] { who.rest([] { return true; }); }), sleep_s);
}

TEST(sleeper, a_wake_of_rests_lets_a_nap_go_on) {
  sleeper who;
  const double nap_s = 0.02;
  EXPECT_GE(woken_after_s(who, depth::rests, [&] { who.nap(seconds_to_ticks(nap_s)); }),
            0.9 * nap_s);
}

TEST(sleeper, it_does_not_rest_where_there_is_something_to_do) {
  sleeper who;
  who.rest([] { return false; });
}

TEST(sleeper, it_does_not_sleep_after_its_end) {
  sleeper who;
  who.stop();
  EXPECT_TRUE(who.is_stopped());
  who.nap(seconds_to_ticks(sleep_s));
  who.rest([] { return true; });
}

/// Posts come while the other falls asleep: each is seen, at once or by a wake.
TEST(sleeper, no_post_is_lost_while_it_falls_asleep) {
  constexpr int turns = 50'000;
  sleeper who;
  std::atomic<int> posts{0};
  std::atomic<int> seen{0};
  std::thread resting([&] {
    while (!who.is_stopped()) {
      who.rest([&] { return posts.load() == seen.load(); });
      seen.store(posts.load());
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  bool is_lost = false;
  for (int turn = 1; turn <= turns && !is_lost; ++turn) {
    posts.store(turn);
    who.wake(depth::rests);
    while (turn % 16 == 0 && seen.load() < turn && !is_lost) {
      std::this_thread::yield();
      is_lost = std::chrono::steady_clock::now() > end;
    }
  }
  who.stop();
  resting.join();
  EXPECT_FALSE(is_lost);
}

}  // namespace
}  // namespace plait
