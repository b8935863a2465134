// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pattern.hpp"

namespace {

using plait::bench::metg::pattern;
using points = std::vector<long>;

TEST(pattern, the_first_step_needs_nothing) {
  for (const auto name : pattern::names) {
    EXPECT_TRUE(pattern(std::string(name), 8).inputs(0, 0).empty()) << name;
  }
}

TEST(pattern, needs_the_points_that_task_bench_defines) {
  EXPECT_EQ(pattern("trivial", 16).inputs(3, 7), points{});
  EXPECT_EQ(pattern("stencil_1d", 16).inputs(3, 7), (points{6, 7, 8}));
  EXPECT_EQ(pattern("stencil_1d", 16).inputs(3, 0), (points{0, 1}));
  EXPECT_EQ(pattern("nearest", 16).inputs(3, 7), (points{5, 6, 7, 8, 9}));
  EXPECT_EQ(pattern("nearest", 16).inputs(3, 15), (points{13, 14, 15}));
  EXPECT_EQ(pattern("tree", 16).inputs(9, 7), points{3});
}

TEST(pattern, a_butterfly_reaches_every_point_in_as_many_steps_as_the_width_has_doublings) {
  const pattern fft("fft", 16);
  EXPECT_EQ(fft.period(), 4);
  EXPECT_EQ(fft.inputs(1, 5), (points{4, 5, 6}));
  EXPECT_EQ(fft.inputs(2, 5), (points{3, 5, 7}));
  EXPECT_EQ(fft.inputs(4, 5), (points{5, 13}));
  EXPECT_EQ(fft.inputs(5, 5), fft.inputs(1, 5));
}

TEST(pattern, a_spread_goes_round_and_shifts_with_the_set) {
  const pattern spread("spread", 16);
  EXPECT_EQ(spread.inputs(3, 2), (points{2, 5, 8, 11, 14}));
  EXPECT_EQ(spread.inputs(1, 2), (points{2, 6, 9, 12, 15}));
  EXPECT_EQ(spread.inputs(1, 15), (points{3, 6, 9, 12, 15}));
}

TEST(pattern, a_tree_doubles_up_to_its_width) {
  const pattern tree("tree", 5);
  const std::vector<long> expected{1, 2, 4, 5, 5};
  for (long step = 0; step < 5; ++step)
    EXPECT_EQ(tree.width_at(step), expected[static_cast<std::size_t>(step)]);
  EXPECT_EQ(tree.width_at(1000), 5);
  EXPECT_EQ(pattern("tree", 1).width_at(0), 1);
}

TEST(pattern, a_random_point_needs_itself_and_some_of_its_neighbours) {
  const pattern random("random", 64);
  std::size_t others = 0;
  for (long point = 0; point < 64; ++point) {
    const points found = random.inputs(1, point);
    EXPECT_NE(std::find(found.begin(), found.end(), point), found.end());
    EXPECT_GE(found.front(), point - 2);
    EXPECT_LE(found.back(), point + 2);
    others += found.size() - 1;
  }
  EXPECT_GT(others, 25U);  // 64 with 4 neighbours, but for the ends, each with probability 1/4
  EXPECT_LT(others, 110U);
}

TEST(pattern, repeats_after_its_ramp) {
  for (const auto name : pattern::names) {
    for (const long width : {1L, 2L, 3L, 16L, 31L}) {
      const pattern one(std::string(name), width);
      for (long step = one.ramp(); step < one.ramp() + 7; ++step) {
        ASSERT_EQ(one.width_at(step), width) << name;
        for (long point = 0; point < width; ++point)
          ASSERT_EQ(one.inputs(step, point), one.inputs(step + one.period(), point)) << name;
      }
    }
  }
}

}  // namespace
