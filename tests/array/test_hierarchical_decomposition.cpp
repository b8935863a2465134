// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/hierarchical_decomposition.hpp>
#include <plait/core/region.hpp>

#include "support/refusal.hpp"

namespace {

using plait::axis;
using plait::block_part;
using plait::box;
using plait::hierarchical_decomposition;
using plait::region;
using plait::worker_set;
using plait::test::refusal;

constexpr std::array all_parts{block_part::whole, block_part::interior, block_part::rim};

template <int D>
void expect_cover(const std::vector<box<D>>& boxes, const std::vector<box<D>>& cells) {
  std::int64_t in_boxes = 0, wanted = 0;
  for (const box<D>& one : boxes) {
    EXPECT_FALSE(one.empty());
    in_boxes += one.size();
  }
  for (const box<D>& one : cells) wanted += one.size();
  EXPECT_EQ(in_boxes, wanted) << "every cell once";
  EXPECT_EQ(region<D>(std::span<const box<D>>(boxes)), region<D>(std::span<const box<D>>(cells)));
}

template <int D>
std::vector<box<D>> flat(const plait::worker_shares<D>& shares) {
  std::vector<box<D>> result;
  for (const auto& own : shares) result.insert(result.end(), own.begin(), own.end());
  return result;
}

double part_of(const worker_set& one, const std::vector<worker_set>& sets, std::int64_t planes) {
  double sum = 0;
  for (const worker_set& set : sets) sum += set.weight;
  return static_cast<double>(planes) * one.weight / sum;
}

/// The shares are planes of `all`, worker after worker, as many for each set as it weighs.
template <int D>
void expect_weights(const plait::worker_shares<D>& shares, const box<D>& all,
                    const std::vector<worker_set>& sets) {
  axis along = axis::x;
  for (const axis a : plait::axes<D>)
    if (shares.front().front().extent(a) != all.extent(a)) along = a;
  const std::int64_t planes = all.extent(along);
  const bool all_have_a_plane =
      std::ranges::all_of(sets, [&](auto& set) { return part_of(set, sets, planes) >= 1; });
  std::int64_t at = all.low[along];
  std::size_t worker = 0;
  for (const worker_set& set : sets) {
    const std::int64_t first = at;
    std::int64_t least = planes, most = 0;
    for (int i = 0; i < set.workers; ++i, ++worker) {
      ASSERT_EQ(shares[worker].size(), 1U);
      const box<D>& own = shares[worker].front();
      EXPECT_EQ(own.low[along], at) << "worker after worker";
      at = own.high[along];
      least = std::min(least, own.extent(along));
      most = std::max(most, own.extent(along));
    }
    EXPECT_LE(most - least, 1) << "the workers of a set share equally";
    if (all_have_a_plane) {
      EXPECT_LT(std::abs(static_cast<double>(at - first) - part_of(set, sets, planes)), 1);
    }
  }
  EXPECT_EQ(at, all.high[along]);
}

/// Returns true if along some axis each set gets a plane for each of its workers.
template <int D>
bool can_be_shared(const box<D>& all, const std::vector<worker_set>& sets) {
  std::vector<double> weights;
  for (const worker_set& set : sets) weights.push_back(set.weight);
  for (const axis a : plait::axes<D>) {
    if (all.extent(a) < static_cast<std::int64_t>(sets.size())) continue;
    const std::vector<std::int64_t> at = plait::part_bounds(all.extent(a), weights);
    bool enough = true;
    for (std::size_t i = 0; i < sets.size(); ++i)
      enough = enough && at[i + 1] - at[i] >= sets[i].workers;
    if (enough) return true;
  }
  return false;
}

/// A random domain over a random grid of nodes, with random workers.
template <int D>
hierarchical_decomposition<D> any(std::mt19937& random) {
  const auto from_to = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  plait::decomposition_options<D> options;
  int nodes = 1;
  for (const axis a : plait::axes<D>) {
    const auto i = static_cast<std::size_t>(plait::index_of(a));
    options.grid[i] = from_to(1, D > 2 ? 2 : 4);
    options.global[a] = from_to(options.grid[i], D > 3 ? 7 : 24);
    options.ghosts[a] = from_to(0, 2);
    options.periodic[i] = from_to(0, 1) == 1;
    nodes *= options.grid[i];
  }
  std::vector<worker_set> sets(static_cast<std::size_t>(from_to(1, 3)));
  for (worker_set& set : sets)
    set = {.workers = from_to(1, 4), .weight = static_cast<double>(from_to(1, 50))};
  return {plait::decompose<D>(options, nodes), sets};
}

template <int D>
void check_any(unsigned seed, int& refused, int& shared) {
  SCOPED_TRACE(std::to_string(D) + " dimensions, seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const hierarchical_decomposition<D> tiers = any<D>(random);
  for (const block_part which : all_parts) {
    bool some_refused = false;
    for (int id = 0; id < static_cast<int>(tiers.nodes().blocks().size()); ++id) {
      const std::vector<box<D>> cells = tiers.cells(id, which);
      expect_cover(tiers.tiles(id, which, {.rows = 3, .per_worker = 2, .least_cells = 4}), cells);
      const bool by_planes = which != block_part::rim && !cells.empty();
      if (by_planes && tiers.sets().size() > 1 && !can_be_shared(cells.front(), tiers.sets())) {
        EXPECT_NE(refusal([&] { (void)tiers.shares(id, which); }), "accepted");
        some_refused = true;
        ++refused;
        continue;
      }
      const plait::worker_shares<D> shares = tiers.shares(id, which);
      ++shared;
      ASSERT_EQ(shares.size(), static_cast<std::size_t>(tiers.workers()));
      expect_cover(flat<D>(shares), cells);
      if (by_planes && tiers.sets().size() > 1) expect_weights(shares, cells.front(), tiers.sets());
    }
    EXPECT_EQ(refusal([&] { tiers.check_shares(which); }) == "accepted", !some_refused);
  }
}

TEST(hierarchical_decomposition, shares_cover_each_part_once_as_sets_weigh_or_are_refused) {
  int refused = 0, shared = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    check_any<1>(seed, refused, shared);
    check_any<2>(seed, refused, shared);
    check_any<3>(seed, refused, shared);
    if (seed % 5 == 0) check_any<4>(seed, refused, shared);
  }
  EXPECT_GE(refused, 100);
  EXPECT_GE(shared, 1000);
}

// [Baden, Shalit 2001]: 44/94 of 504 planes go to 4 processors, the others to 3.
TEST(hierarchical_decomposition, IRR_44_50_is_the_partition_of_the_paper_on_each_node) {
  const hierarchical_decomposition<3> tiers(
      plait::decompose<3>({.global = {8, 8, 2 * 504}, .grid = {1, 1, 2}, .ghosts = 1}, 2),
      {{4, 44}, {3, 50}});
  EXPECT_EQ(tiers.workers(), 7);
  for (const int id : {0, 1}) {
    const auto shares = tiers.shares(id, block_part::whole);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(shares[i].front().extent(axis::z), 236 / 4);
    EXPECT_EQ(shares[4].front().low[axis::z], 504 * id + 236);
    EXPECT_EQ(shares[6].front().high[axis::z], 504 * id + 504);
  }
}

// Fig. 1 of the paper: two workers, a block with neighbours, an annulus around the interior.
TEST(hierarchical_decomposition, the_rim_is_what_the_interior_leaves) {
  const hierarchical_decomposition<2> tiers(
      plait::decompose<2>({.global = {40, 40}, .grid = {2, 2}, .ghosts = 1}, 4), {{.workers = 2}});
  const auto interior = tiers.shares(0, block_part::interior);
  EXPECT_EQ(interior[0].front(), box<2>({0, 0}, {19, 10}));
  EXPECT_EQ(interior[1].front(), box<2>({0, 10}, {19, 19}));
  const auto rim = tiers.shares(0, block_part::rim);
  std::vector<box<2>> all = flat<2>(rim);
  for (const box<2>& one : flat<2>(interior)) all.push_back(one);
  expect_cover(all, {tiers.nodes().block(0)});
  EXPECT_FALSE(rim[0].empty());
  EXPECT_FALSE(rim[1].empty());
}

TEST(hierarchical_decomposition, more_workers_than_planes_take_rows_or_another_axis) {
  const auto shares_of = [](std::int64_t x, std::int64_t y, std::int64_t z, int workers) {
    return hierarchical_decomposition<3>(plait::decompose<3>({.global = {x, y, z}}, 1),
                                         {{.workers = workers}})
        .shares(0, block_part::whole);
  };
  EXPECT_EQ(shares_of(5, 9, 2, 3)[1].front().extent(axis::z), 2) << "cut along y";
  for (const auto& own : shares_of(20, 3, 3, 9)) {
    ASSERT_EQ(own.size(), 1U);
    EXPECT_EQ(own.front().extent(), (plait::extents<3>{20, 1, 1})) << "a row each";
  }
  int idle = 0;
  for (const auto& own : shares_of(100, 1, 2, 7)) idle += own.empty() ? 1 : 0;
  EXPECT_EQ(idle, 5) << "rows are never cut";
}

TEST(hierarchical_decomposition, an_interior_without_cells_is_nobodys) {
  const hierarchical_decomposition<2> tiers(
      plait::decompose<2>({.global = {8, 2}, .ghosts = 1, .periodic = {false, true}}, 1),
      {{1, 1}, {1, 2}});
  tiers.check_shares(block_part::interior);
  for (const auto& own : tiers.shares(0, block_part::interior)) EXPECT_TRUE(own.empty());
  EXPECT_TRUE(tiers.tiles(0, block_part::interior).empty());
}

TEST(hierarchical_decomposition, tiles_are_several_for_each_worker_within_limits) {
  const hierarchical_decomposition<3> tiers(plait::decompose<3>({.global = {10, 10, 64}}, 1),
                                            {{.workers = 4}});
  EXPECT_EQ(tiers.tiles(0, block_part::whole, {.per_worker = 8, .least_cells = 1}).size(), 32U);
  EXPECT_EQ(tiers.tiles(0, block_part::whole, {.per_worker = 8, .least_cells = 800}).size(), 8U);
  EXPECT_EQ(tiers
                .tiles(0, block_part::whole,
                       {.rows = 5, .per_worker = 1, .least_cells = 1, .most_cells = 100})
                .size(),
            64U);
}

TEST(hierarchical_decomposition, tiles_of_a_row_are_pieces_of_it) {
  const hierarchical_decomposition<1> tiers(
      plait::decompose<1>({.global = plait::extents<1>(1000)}, 1), {{.workers = 4}});
  EXPECT_EQ(tiers.tiles(0, block_part::whole, {.per_worker = 8, .least_cells = 1}).size(), 32U);
}

TEST(hierarchical_decomposition, what_cannot_be_shared_is_refused_in_one_line) {
  const auto blocks =
      plait::decompose<3>({.global = {5, 6, 11}, .grid = {1, 1, 3}, .ghosts = 1}, 3);
  const auto made = [&](std::vector<worker_set> sets) {
    return refusal([&] { (void)hierarchical_decomposition<3>(blocks, sets); });
  };
  EXPECT_EQ(made({}), "a node without workers; give at least one set of them");
  EXPECT_EQ(made({{2, 1}, {0, 1}}), "a set of 0 workers; each needs at least 1");
  EXPECT_EQ(made({{2, 1}, {1, -1}}), "weight -1.000000 is not positive and finite");
  EXPECT_EQ(made({{2, NAN}}), "weight nan is not positive and finite");
  EXPECT_EQ(made({{INT_MAX, 1}, {1, 1}, {INT_MAX, 1}}),
            "a node of 4294967295 workers; it can have at most 2147483647");
  const hierarchical_decomposition<3> many(blocks, {{4, 1}, {3, 2.5}});
  const std::string line =
      "4 and 3 workers in the ratio 1:2.5 cannot share the 5x6x4 cells of block 0: no axis has "
      "planes enough for each worker";
  EXPECT_EQ(refusal([&] { (void)many.shares(0, block_part::whole); }), line);
  EXPECT_EQ(refusal([&] { many.check_shares(block_part::whole); }), line);
  EXPECT_EQ(refusal([&] { many.check_shares(block_part::interior); }),
            "4 and 3 workers in the ratio 1:2.5 cannot share the 5x6x3 cells of the interior of "
            "block 0: no axis has planes enough for each worker");
  many.check_shares(block_part::rim);
}

}  // namespace
