// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <climits>
#include <string>

#include <gtest/gtest.h>
#include <plait/array/process_grid.hpp>

#include "support/refusal.hpp"

namespace {

using plait::axis;
using grid3 = plait::process_grid<3>;
using plait::side;
using dims3 = std::array<int, 3>;

// "As close to each other as possible" (MPI 3.1, 7.5.2): the smallest difference between the
// largest and the smallest factor, found by looking at all of them.
int smallest_spread(int ranks) {
  int best = INT_MAX;
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    for (int y = 1; y <= ranks / x; ++y) {
      if ((ranks / x) % y != 0) continue;
      const auto [low, high] = std::minmax({x, y, ranks / x / y});
      best = std::min(best, high - low);
    }
  }
  return best;
}

TEST(process_grid, chosen_dimensions_are_as_close_to_each_other_as_possible) {
  for (int ranks = 1; ranks <= 256; ++ranks) {
    const dims3 dims = grid3::choose(ranks).dims();
    EXPECT_EQ(dims[0] * dims[1] * dims[2], ranks);
    EXPECT_TRUE(dims[0] <= dims[1] && dims[1] <= dims[2]) << "the largest goes to z; " << ranks;
    EXPECT_EQ(dims[2] - dims[0], smallest_spread(ranks)) << ranks << " ranks";
  }
}

TEST(process_grid, small_counts_are_those_of_MPI_Dims_create) {
  // As Open MPI 4.1.4 and MPICH 4.0.2 return them, largest last.
  const dims3 expected[] = {{1, 1, 1}, {1, 1, 2}, {1, 1, 3}, {1, 2, 2}, {1, 1, 5},  {1, 2, 3},
                            {1, 1, 7}, {2, 2, 2}, {1, 3, 3}, {1, 2, 5}, {1, 1, 11}, {2, 2, 3}};
  int ranks = 0;
  for (const dims3& dims : expected) EXPECT_EQ(grid3::choose(++ranks).dims(), dims);
  EXPECT_EQ(grid3::choose(72).dims(), (dims3{3, 4, 6}));
  EXPECT_EQ(grid3::choose(256).dims(), (dims3{4, 8, 8}));
}

TEST(process_grid, given_dimensions_are_kept) {
  EXPECT_EQ(grid3::choose(12, {3, 0, 0}).dims(), (dims3{3, 2, 2}));
  EXPECT_EQ(grid3::choose(72, {1, 0, 0}).dims(), (dims3{1, 8, 9}));
  EXPECT_EQ(grid3::choose(8, {0, 8, 0}).dims(), (dims3{1, 8, 1}));
  EXPECT_EQ(grid3::choose(6, {6, 1, 1}).dims(), (dims3{6, 1, 1}));
}

std::string refusal(int ranks, dims3 wanted) {
  return plait::test::refusal([&] { (void)grid3::choose(ranks, wanted); });
}

TEST(process_grid, a_grid_that_does_not_fit_is_refused_in_one_line) {
  EXPECT_EQ(refusal(4, {1, 1, 3}), "process grid 1x1x3 does not fit 4 ranks");
  EXPECT_EQ(refusal(4, {1, 1, 2}), "process grid 1x1x2 has 2 processes; there are 4 ranks");
  EXPECT_EQ(refusal(1, {2, 0, 0}), "process grid 2x0x0 does not fit 1 rank");
  EXPECT_EQ(refusal(4, {-1, 0, 0}),
            "process grid -1x0x0 has a negative dimension; use 0 to let it be chosen");
  EXPECT_EQ(refusal(6, {2, 2, 0}), "process grid 2x2x0 does not fit 6 ranks");
  EXPECT_EQ(refusal(2, {65536, 65536, 65536}),
            "process grid 65536x65536x65536 does not fit 2 ranks");
  EXPECT_EQ(refusal(65536, {65536, 65536, 0}),
            "process grid 65536x65536x0 does not fit 65536 ranks");
}

TEST(process_grid, of_more_ranks_than_can_be_counted_is_none) {
  EXPECT_DEATH((void)grid3({65536, 32768, 1}), "65536x32768x1");
}

TEST(process_grid, ranks_and_coordinates_are_inverse_with_x_fastest) {
  const grid3 grid({2, 3, 4});
  int rank = 0;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 2; ++x, ++rank) {
        EXPECT_EQ(grid.coordinates(rank), (dims3{x, y, z}));
        EXPECT_EQ(grid.rank_at({x, y, z}), rank);
      }
  EXPECT_EQ(rank, grid.size());
}

TEST(process_grid, neighbours_are_mutual_and_end_at_the_boundary) {
  const grid3 grid({3, 2, 2});
  int pairs = 0;
  for (int rank = 0; rank < grid.size(); ++rank)
    for (const axis a : plait::axes<3>)
      for (const side s : plait::both_sides) {
        const int other = grid.neighbour(rank, a, s);
        const int at = grid.coordinates(rank)[plait::index_of(a)];
        const bool at_end = s == side::low ? at == 0 : at == grid.extent(a) - 1;
        EXPECT_EQ(other == plait::no_rank, at_end);
        if (other == plait::no_rank) continue;
        EXPECT_EQ(grid.neighbour(other, a, plait::opposite(s)), rank);
        ++pairs;
      }
  EXPECT_EQ(pairs, 2 * (2 * 4 + 1 * 6 + 1 * 6));
}

}  // namespace
