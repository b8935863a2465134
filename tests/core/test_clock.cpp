// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>
#include <plait/core/clock.hpp>

namespace {

using namespace std::chrono;

TEST(clock, seconds_and_ticks_convert_into_each_other) {
  for (const double seconds : {1e-6, 1e-3, 1.0, 3600.0}) {
    const double back = plait::ticks_to_seconds(plait::seconds_to_ticks(seconds));
    EXPECT_NEAR(back, seconds, 2 * plait::seconds_per_tick()) << seconds << " s";
  }
}

TEST(clock, it_runs_at_the_rate_of_the_monotonic_clock) {
  // Not a timing assertion: both clocks look at the same interval.  The tightest of several,
  // because this thread may lose its core between the two readings.
  double best = 1;
  for (int i = 0; i < 5; ++i) {
    const auto a = steady_clock::now();
    const plait::ticks from = plait::now_ticks();
    std::this_thread::sleep_for(50ms);
    const auto b = steady_clock::now();
    const plait::ticks to = plait::now_ticks();
    const double wall = duration<double>(b - a).count();
    best = std::min(best, std::abs(plait::ticks_to_seconds(to - from) - wall) / wall);
  }
  EXPECT_LT(best, 1e-3);
}

TEST(clock, it_does_not_run_backwards_on_one_thread_or_from_one_to_the_next) {
  // A counter may be read early, while the load that ends the turn is still under way.
  const plait::ticks slack = plait::seconds_to_ticks(1e-5);
  std::atomic<plait::ticks> last{plait::now_ticks()};
  std::atomic<int> turn{0};
  const auto run = [&](int self) {
    for (int i = 0; i < 2000; ++i) {
      while (turn.load(std::memory_order_acquire) != self) std::this_thread::yield();
      const plait::ticks now = plait::now_ticks();
      EXPECT_GE(now, last.load() - slack);
      last = now;
      turn.store(1 - self, std::memory_order_release);
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
}

}  // namespace
