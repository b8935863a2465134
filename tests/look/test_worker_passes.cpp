// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "look/worker_passes.hpp"

namespace plait {
namespace {

constexpr double often_s = 1e-3;

ticks at(double milliseconds) {
  return seconds_to_ticks(1.0 + 1e-3 * milliseconds);
}

TEST(worker_passes, are_frequent_while_short_tasks_end) {
  worker_passes passes(often_s);
  const ticks began = at(0);
  for (double ms = 0.5; ms < 5; ms += 0.5) passes.passed(at(ms), began);
  EXPECT_TRUE(passes.are_frequent(at(5.2), began));
}

TEST(worker_passes, are_not_frequent_once_a_task_takes_long) {
  worker_passes passes(often_s);
  const ticks began = at(0);
  for (double ms = 0.5; ms < 5; ms += 0.5) passes.passed(at(ms), began);
  EXPECT_FALSE(passes.are_frequent(at(8), began));
  passes.passed(at(8), began);
  EXPECT_FALSE(passes.are_frequent(at(8.1), began));
}

TEST(worker_passes, a_long_task_is_forgotten_after_many_short_ones) {
  worker_passes passes(often_s);
  const ticks began = at(0);
  passes.passed(at(4), began);
  for (int i = 1; i <= 8; ++i) passes.passed(at(4 + 0.1 * i), began);
  EXPECT_FALSE(passes.are_frequent(at(4.9), began));
  for (int i = 9; i <= 20; ++i) passes.passed(at(4 + 0.1 * i), began);
  EXPECT_TRUE(passes.are_frequent(at(6.1), began));
}

TEST(worker_passes, what_went_before_the_flight_counts_for_nothing) {
  worker_passes passes(often_s);
  passes.passed(at(1), at(0.5));
  passes.passed(at(100.4), at(100));  // 99 ms of computation with nothing in flight
  EXPECT_TRUE(passes.are_frequent(at(100.5), at(100)));
}

TEST(worker_passes, are_frequent_since_the_last_long_task) {
  worker_passes passes(often_s);
  EXPECT_EQ(passes.frequent_for(at(0.4)), 0);  // nobody has come by
  const ticks began = at(0);
  passes.passed(at(0.5), began);
  for (int i = 1; i <= 40; ++i) passes.passed(at(0.5 + 0.5 * i), began);
  EXPECT_EQ(passes.frequent_for(at(21)), at(21) - at(0.5));
  passes.passed(at(23), began);  // 2.5 ms after the last
  passes.passed(at(23.5), began);
  EXPECT_EQ(passes.frequent_for(at(24)), at(24) - at(23));
}

}  // namespace
}  // namespace plait
