// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "comm/engine/flight_clock.hpp"

namespace {

using plait::flight_clock;

TEST(flight_clock, it_adds_up_the_time_between_take_off_and_landing) {
  flight_clock c;
  EXPECT_EQ(c.until(100), 0);
  c.take_off(100);
  EXPECT_EQ(c.until(130), 30);
  c.land(150);
  EXPECT_EQ(c.until(150), 50);
  EXPECT_EQ(c.until(900), 50) << "nothing is in flight";
  c.take_off(1000);
  EXPECT_EQ(c.until(1000), 50);
  EXPECT_EQ(c.until(1007), 57);
  c.land(1010);
  EXPECT_EQ(c.until(2000), 60);
}

TEST(flight_clock, a_landing_on_the_ground_changes_nothing) {
  flight_clock c;
  c.land(50);
  EXPECT_EQ(c.until(100), 0);
  c.take_off(100);
  c.land(110);
  c.land(500);
  EXPECT_EQ(c.until(1000), 10);
}

TEST(flight_clock, a_reader_with_an_older_time_sees_no_negative_flight) {
  flight_clock c;
  c.take_off(100);
  EXPECT_EQ(c.until(90), 0);
}

TEST(flight_clock, a_reader_never_sees_half_an_update) {
  // Flights of 10 ticks with pauses of 90: at time t, in flight for at most t/10 + 10 and at least
  // t/10 - 10, whatever the moment.
  flight_clock c;
  std::atomic<plait::ticks> now{0};
  std::atomic<bool> done{false};
  std::thread reader([&] {
    plait::ticks last = 0;
    while (!done.load()) {
      const plait::ticks earliest = now.load();
      const plait::ticks sum = c.until(earliest);
      const plait::ticks latest = now.load();
      EXPECT_GE(sum, last);
      EXPECT_LE(sum, latest / 10 + 10);
      EXPECT_GE(sum, earliest / 10 - 20);
      last = sum;
    }
  });
  for (int i = 0; i < 200'000; ++i) {
    const plait::ticks begin = 100 * i;
    now = begin;
    c.take_off(begin);
    now = begin + 10;
    c.land(begin + 10);
  }
  done = true;
  reader.join();
  EXPECT_EQ(c.until(1 << 30), 2'000'000);
}

}  // namespace
