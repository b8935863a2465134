// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/cut.hpp>
#include <plait/core/region.hpp>

#include "support/refusal.hpp"

namespace {

using plait::axis;
using plait::box;
using plait::cut;
using plait::process_grid;
using plait::region;

template <int D>
void expect_cover(const std::vector<box<D>>& parts, const box<D>& whole) {
  std::int64_t cells = 0;
  for (const box<D>& part : parts) cells += part.size();
  EXPECT_EQ(cells, whole.size());
  EXPECT_EQ(region<D>(std::span<const box<D>>(parts)), region<D>(whole));
}

TEST(cut, equal_parts_follow_each_other_and_the_first_are_one_larger) {
  for (std::int64_t cells = 1; cells <= 70; ++cells)
    for (std::int64_t parts = 1; parts <= std::min<std::int64_t>(cells, 20); ++parts) {
      const std::vector<double> equal(static_cast<std::size_t>(parts), 0.1);
      const auto at = plait::part_bounds(cells, equal);
      ASSERT_EQ(at.size(), equal.size() + 1);
      EXPECT_EQ(at.front(), 0);
      EXPECT_EQ(at.back(), cells);
      for (std::size_t i = 0; i < equal.size(); ++i)
        EXPECT_EQ(at[i + 1] - at[i],
                  cells / parts + (static_cast<std::int64_t>(i) < cells % parts ? 1 : 0));
    }
}

TEST(cut, weighted_parts_are_within_a_cell_of_their_share_and_never_empty) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> weights(1 + random() % 8);
    for (double& weight : weights) weight = 0.5 + static_cast<double>(random() % 100);
    const auto cells = static_cast<std::int64_t>(weights.size() + random() % 1000);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto at = plait::part_bounds(cells, weights);
    const bool tiny = std::ranges::any_of(
        weights, [&](double w) { return w / sum * static_cast<double>(cells) < 1; });
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_GE(at[i + 1] - at[i], 1);
      if (tiny) continue;
      EXPECT_LT(std::abs(static_cast<double>(at[i + 1] - at[i]) -
                         weights[i] / sum * static_cast<double>(cells)),
                1);
    }
    EXPECT_EQ(at.back(), cells);
  }
  EXPECT_EQ(plait::part_bounds(4, std::vector<double>{1000, 1, 1}),
            (std::vector<std::int64_t>{0, 2, 3, 4}));
}

TEST(cut, weights_whose_sum_is_beyond_any_number_have_a_ratio_all_the_same) {
  EXPECT_EQ(plait::part_bounds(270, std::vector<double>{1e308, 1.7e308}),
            (std::vector<std::int64_t>{0, 100, 270}));
  EXPECT_EQ(plait::part_bounds(30, std::vector<double>{5e-324, 1e-323}),
            (std::vector<std::int64_t>{0, 10, 30}));
}

TEST(cut, a_grid_of_blocks_comes_in_the_order_of_its_ranks) {
  const box<3> whole({2, -3, 5}, {9, 4, 17});
  const process_grid<3> grid({2, 3, 4});
  const auto parts = cut(whole, grid);
  ASSERT_EQ(parts.size(), 24U);
  expect_cover(parts, whole);
  EXPECT_EQ(parts[static_cast<std::size_t>(grid.rank_at({1, 0, 0}))].low,
            (plait::point<3>{6, -3, 5}));
  EXPECT_EQ(parts[static_cast<std::size_t>(grid.rank_at({0, 0, 3}))].low,
            (plait::point<3>{2, -3, 14}));
}

TEST(cut, small_blocks_are_as_equal_as_possible_and_never_larger_than_asked) {
  const box<2> whole({0, 0}, {100, 7});
  const auto parts = plait::cut_small(whole, {30, 3});
  ASSERT_EQ(parts.size(), 4U * 3U);
  expect_cover(parts, whole);
  for (const box<2>& part : parts) {
    EXPECT_EQ(part.extent(axis::x), 25);
    EXPECT_LE(part.extent(axis::y), 3);
  }
  EXPECT_TRUE(plait::cut_small(box<2>(), {3, 3}).empty());
}

// As a sweep goes: along z within some rows, then the next rows.
TEST(cut, in_parts_that_lie_close_together) {
  const box<3> whole({0, 0, 0}, {10, 6, 4});
  const auto extents_of = [](const std::vector<box<3>>& parts) {
    std::vector<plait::extents<3>> result;
    for (const box<3>& part : parts) result.push_back(part.extent());
    return result;
  };
  using shape = plait::extents<3>;
  EXPECT_EQ(plait::cut_in_parts(whole, 240), std::vector{whole});
  EXPECT_EQ(extents_of(plait::cut_in_parts(whole, 130)), (std::vector(2, shape(10, 6, 2))));
  EXPECT_EQ(extents_of(plait::cut_in_parts(whole, 30)), (std::vector(8, shape(10, 3, 1))));
  EXPECT_EQ(extents_of(plait::cut_in_parts(whole, 1)), (std::vector(24, shape(10, 1, 1))));
  EXPECT_TRUE(plait::cut_in_parts(box<2>(), 3).empty());
}

TEST(cut, tiles_come_in_the_order_of_memory_within_their_rows) {
  const box<3> whole({1, 2, 3}, {11, 22, 33});
  const auto tiles = plait::cut_in_tiles(whole, {.rows = 10, .cells = 350});
  ASSERT_EQ(tiles.size(), 2U * 10U) << "3 planes of 100 cells, not 4";
  expect_cover(tiles, whole);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    EXPECT_EQ(tiles[i].extent(axis::x), 10);
    EXPECT_EQ(tiles[i].low[axis::y], i < 10 ? 2 : 12);
    EXPECT_EQ(tiles[i].low[axis::z], 3 + 3 * static_cast<std::int64_t>(i % 10));
  }
  EXPECT_EQ(plait::cut_in_tiles(whole, {.rows = 100, .cells = 1}).size(), 30U) << "a plane";
  EXPECT_EQ(plait::cut_in_tiles(box<2>({10, 12}), {.rows = 100, .cells = 25}).size(), 6U);
  EXPECT_EQ(plait::cut_in_tiles(box<2>({10, 12}), {.rows = 1, .cells = 25}).size(), 12U);
  expect_cover(plait::cut_in_tiles(box<4>({3, 5, 4, 6}), {.rows = 2, .cells = 13}),
               box<4>({3, 5, 4, 6}));
  EXPECT_TRUE(plait::cut_in_tiles(box<3>(), {.rows = 3, .cells = 3}).empty());
}

TEST(cut, tiles_of_a_single_row_are_pieces_of_it) {
  const auto from_to = [](std::int64_t low, std::int64_t high) {
    return box<1>(plait::point<1>{low}, plait::point<1>{high});
  };
  const box<1> row = from_to(3, 10);
  EXPECT_EQ(plait::cut_in_tiles(row, {.cells = 3}),
            (std::vector<box<1>>{from_to(3, 6), from_to(6, 8), from_to(8, 10)}));
  EXPECT_EQ(plait::cut_in_tiles(row, {.cells = 7}), std::vector<box<1>>{row});
  EXPECT_EQ(plait::cut_in_tiles(row, {}).size(), 7U);
}

// [Baden, Shalit 2001]: 44/94 of 504 planes go to 4 processors, the others to 3.
TEST(cut, IRR_44_50_is_the_partition_of_the_paper) {
  const box<3> inner({500, 500, 504});
  const auto parts = cut(inner, axis::z, {{4, 44}, {3, 50}});
  ASSERT_EQ(parts.size(), 7U);
  expect_cover(parts, inner);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(parts[i].extent(axis::z), 236 / 4);
  EXPECT_EQ(parts[4].low[axis::z], 236);
  for (std::size_t i = 4; i < 7; ++i)
    EXPECT_NEAR(static_cast<double>(parts[i].extent(axis::z)), 268.0 / 3, 1);
}

TEST(cut, a_set_with_more_workers_than_planes_is_cut_along_other_axes) {
  const box<3> flat({16, 16, 3});
  const auto parts = cut(flat, axis::z, {{2, 2}, {4, 1}});
  ASSERT_EQ(parts.size(), 6U);
  expect_cover(parts, flat);
}

TEST(cut, what_cannot_be_cut_is_refused_in_one_line) {
  const auto refused = [](auto&&... arguments) {
    return plait::test::refusal([&] { (void)cut(box<2>({8, 3}), arguments...); });
  };
  const std::vector<double> four(4, 1.0);
  EXPECT_EQ(refused(axis::y, four),
            "3 cells along y cannot be cut into 4 parts; every part needs at least 1");
  EXPECT_EQ(refused(axis::y, std::vector<double>{}), "no weights along y; give one for each part");
  EXPECT_EQ(refused(axis::x, std::vector<double>{1, -2}),
            "weight -2.000000 along x is not positive and finite");
  EXPECT_EQ(refused(axis::x, std::vector<double>{1, NAN}),
            "weight nan along x is not positive and finite");
  EXPECT_EQ(refused(axis::x, std::vector<plait::worker_set>{{0, 1.0}}),
            "a set of 0 workers along x; each needs at least 1");
  EXPECT_EQ(refused(process_grid<2>({1, 4})),
            "3 cells along y cannot be cut into 4 parts; every part needs at least 1");
}

TEST(rebalanced, weights_follow_what_parts_get_done_in_a_second) {
  const std::vector<double> weights{44, 50};
  const auto same = plait::rebalanced(weights, std::vector<double>{2, 2});
  EXPECT_DOUBLE_EQ(same[0], 44);
  EXPECT_DOUBLE_EQ(same[1], 50);
  const auto moved = plait::rebalanced(std::vector<double>{1, 1}, std::vector<double>{1, 3});
  EXPECT_DOUBLE_EQ(moved[0], 1.5);
  EXPECT_DOUBLE_EQ(moved[1], 0.5);
  const auto half =
      plait::rebalanced(std::vector<double>{1, 1}, std::vector<double>{1, 4}, {.damping = 0.5});
  EXPECT_DOUBLE_EQ(half[0] / half[1], 2) << "half the way on a scale of ratios";
  EXPECT_DOUBLE_EQ(half[0] + half[1], 2);
}

// Speeds nobody knows: after one undamped step all parts take the same time, with damping soon.
TEST(rebalanced, times_become_equal) {
  const std::vector<double> speed{1, 2.5, 0.7, 4};
  for (const double damping : {0.0, 0.5, 0.8}) {
    std::vector<double> weights(4, 1.0);
    std::vector<double> seconds(4);
    const auto run = [&] {
      for (std::size_t i = 0; i < 4; ++i) seconds[i] = weights[i] / speed[i];
      return *std::ranges::max_element(seconds) / *std::ranges::min_element(seconds);
    };
    double spread = run();
    for (int step = 0; step < 40; ++step) {
      weights = plait::rebalanced(weights, seconds, {.damping = damping});
      const double now = run();
      EXPECT_LE(now, spread * (1 + 1e-12)) << "never further apart";
      spread = now;
    }
    EXPECT_LT(spread, 1.001);
  }
}

TEST(rebalanced, bad_input_is_refused_in_one_line) {
  const auto refused = [](double weight, double seconds, double damping) {
    return plait::test::refusal([&] {
      (void)plait::rebalanced(std::vector<double>{weight}, std::vector<double>{seconds},
                              {.damping = damping});
    });
  };
  EXPECT_EQ(refused(1, 0, 0), "part 0 of weight 1.000000 took 0.000000 s; both must be positive");
  EXPECT_EQ(refused(-1, 1, 0), "part 0 of weight -1.000000 took 1.000000 s; both must be positive");
  EXPECT_EQ(refused(1, 1, 1), "damping 1.000000 is not in [0, 1)");
}

}  // namespace
