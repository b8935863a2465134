// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "sweep.hpp"

namespace {

using plait::bench::metg::metg_s;
using plait::bench::metg::sweep_point;

constexpr double iteration_s = 1e-9;

// A system that adds so much to every task: METG(50 %) is twice that.
auto with_overhead(double overhead_s) {
  return [overhead_s](long iterations) {
    const double computing_s = static_cast<double>(iterations) * iteration_s;
    const double task_s = computing_s + overhead_s;
    return sweep_point{task_s, computing_s / task_s};
  };
}

TEST(sweep, finds_twice_the_overhead_from_either_side) {
  for (const double overhead_s : {30e-9, 1e-6, 77e-6}) {
    for (const long start : {1L, 1000L, 1'000'000L}) {
      const auto found = metg_s(with_overhead(overhead_s), start, 1e-2);
      ASSERT_TRUE(found);
      // Halving leaves an error of interpolation of some per cent.
      EXPECT_NEAR(*found / (2 * overhead_s), 1, 0.05) << overhead_s << " from " << start;
    }
  }
}

TEST(sweep, ends_at_one_iteration_where_nothing_is_too_short) {
  const auto found = metg_s(with_overhead(0), 1000, 1e-3);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(*found, iteration_s);
}

TEST(sweep, gives_up_where_tasks_would_be_too_long) {
  EXPECT_FALSE(metg_s(with_overhead(1), 1000, 1e-3));
}

}  // namespace
