// SPDX-License-Identifier: BSD-3-Clause
// What a ledger has of news that come later than what they tell of.
#include <gtest/gtest.h>
#include <plait/core/clock.hpp>

#include "device/device_times.hpp"

namespace plait::test {
namespace {

/// Something ran from `begin` to `end`, and only now, later, the account is told.
class late_news : public ::testing::Test {
 protected:
  static void wait_until(ticks time) {
    while (now_ticks() <= time) continue;
  }
  void SetUp() override { wait_until(end); }

  detail::device_times times;
  const ticks begin = now_ticks() + 1;
  const ticks end = begin + seconds_to_ticks(1e-4);
  const double ran_s = ticks_to_seconds(end - begin);
};

TEST_F(late_news, count_in_full_behind_ledgers) {
  EXPECT_EQ(times.ledger().kernels_s, 0);
  times.began(device_queue::compute, begin);
  const device_ledger runs = times.ledger();
  EXPECT_GT(runs.kernels_s, ran_s);
  EXPECT_EQ(runs.to_host_s, 0);
  EXPECT_GT(times.ledger().kernels_s, runs.kernels_s);
  times.ended(device_queue::compute, end);
  const device_ledger l = times.ledger();
  EXPECT_EQ(l.kernels_s, ran_s);
  EXPECT_EQ(l.starved_s, 0);
  EXPECT_GE(l.wall_s, runs.wall_s);
  EXPECT_NEAR(l.kernels_s + l.starved_s + l.idle_s, l.wall_s, 1e-9);
}

TEST_F(late_news, of_copies_count_as_those_of_kernels) {
  (void)times.ledger();
  times.began(device_queue::to_host, begin);
  (void)times.ledger();
  times.ended(device_queue::to_host, end);
  const device_ledger l = times.ledger();
  EXPECT_EQ(l.to_host_s, ran_s);
  EXPECT_EQ(l.starved_s, ran_s);
  EXPECT_EQ(l.to_device_s, 0);
}

TEST_F(late_news, take_their_time_from_what_messages_had_of_it) {
  times.set_messages([](ticks until) { return until; });
  const ticks then = now_ticks();
  const ticks later = then + seconds_to_ticks(1e-4);
  wait_until(later);
  const device_ledger before = times.ledger();
  EXPECT_GT(before.starved_s, ticks_to_seconds(later - then));
  times.began(device_queue::compute, then);
  (void)times.ledger();
  times.ended(device_queue::compute, later);
  const device_ledger l = times.ledger();
  EXPECT_EQ(l.kernels_s, ticks_to_seconds(later - then));
  EXPECT_NEAR(l.kernels_s + l.starved_s + l.idle_s, l.wall_s, 1e-9);
  EXPECT_NEAR(l.idle_s, before.idle_s, 1e-9);
}

TEST_F(late_news, of_the_time_before_a_reset_count_no_more) {
  times.reset();
  times.began(device_queue::compute, begin);
  times.ended(device_queue::compute, end);
  EXPECT_EQ(times.ledger().kernels_s, 0);
  times.began(device_queue::compute, end);
  const device_ledger l = times.ledger();
  EXPECT_EQ(l.kernels_s, l.wall_s);
}

}  // namespace
}  // namespace plait::test
