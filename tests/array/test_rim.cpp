// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/rim.hpp>
#include <plait/core/region.hpp>

namespace {

using plait::axes;
using plait::axis;
using plait::box;
using plait::decompose;
using plait::region;
using plait::side;

template <int D>
void expect_peeled(const plait::decomposition<D>& blocks) {
  for (int id = 0; id < static_cast<int>(blocks.blocks().size()); ++id) {
    const box<D>& own = blocks.block(id);
    const auto parts = peel(blocks, id);
    std::vector<box<D>> all = parts.rim;
    all.push_back(parts.interior);
    std::int64_t cells = 0;
    for (const box<D>& b : all) cells += b.size();
    EXPECT_EQ(cells, own.size()) << "block " << id;
    EXPECT_EQ(region<D>(std::span<const box<D>>(all)), region<D>(own));
    // The interior is all that needs no cell behind a side with a neighbour.
    box<D> expected = own;
    for (const axis a : axes<D>)
      for (const side s : plait::both_sides)
        if (blocks.has_neighbour(id, a, s)) expected = shrink(expected, a, s, blocks.ghosts()[a]);
    EXPECT_EQ(parts.interior, expected);
    for (const box<D>& face : parts.rim) EXPECT_FALSE(face.empty());
  }
}

TEST(peel, interior_and_rim_are_the_block_and_faces_at_a_boundary_stay_inside) {
  expect_peeled(decompose<1>({.global = 10, .ghosts = 1}, 3));
  expect_peeled(decompose<2>({.global = {9, 12}, .ghosts = {2, 1}, .periodic = {true, false}}, 5));
  expect_peeled(decompose<3>({.global = {14, 15, 16}, .ghosts = {1, 0, 2}}, 7));
  expect_peeled(decompose<3>({.global = {7, 8, 9}, .ghosts = 3}, 8));
  expect_peeled(decompose<4>({.global = {6, 6, 6, 6}, .ghosts = 1}, 4));
  const auto alone = peel(decompose<3>({.global = {8, 8, 8}, .ghosts = 1}, 1), 0);
  EXPECT_TRUE(alone.rim.empty());
  EXPECT_EQ(alone.interior, box<3>({8, 8, 8}));
}

TEST(shared_out, workers_get_all_cells_once_and_nearly_the_same_cost) {
  const auto blocks = decompose<3>({.global = {96, 96, 96}, .grid = {3, 3, 3}, .ghosts = 1}, 27);
  const plait::row_cost cost;
  // A corner, an edge, a face and the middle: 3 to 6 faces, as the paper's nodes have them.
  for (const int id : {0, 1, 4, 13}) {
    const auto rim = peel(blocks, id).rim;
    EXPECT_EQ(rim.size(), id == 0 ? 3U : id == 1 ? 4U : id == 4 ? 5U : 6U);
    for (const int workers : {1, 2, 3, 4, 5, 7, 8}) {
      const auto shares = shared_out<3>(rim, workers, cost);
      ASSERT_EQ(shares.size(), static_cast<std::size_t>(workers));
      std::vector<box<3>> all;
      std::vector<double> loads;
      for (const auto& share : shares) {
        all.insert(all.end(), share.begin(), share.end());
        loads.push_back(std::accumulate(share.begin(), share.end(), 0.0,
                                        [&](double sum, const auto& b) { return sum + cost(b); }));
        for (const box<3>& piece : share) EXPECT_FALSE(piece.empty());
      }
      std::int64_t cells = 0;
      for (const box<3>& b : all) cells += b.size();
      EXPECT_EQ(region<3>(std::span<const box<3>>(all)), region<3>(std::span<const box<3>>(rim)));
      EXPECT_EQ(cells, region<3>(std::span<const box<3>>(rim)).size()) << "none twice";
      // One row more or less is what whole rows allow.
      const auto [least, most] = std::ranges::minmax(loads);
      EXPECT_LE(most - least, 2 * (32 + cost.per_row)) << workers << " workers, block " << id;
    }
  }
}

TEST(shared_out, no_worker_gets_the_short_rows_alone) {
  const auto blocks = decompose<3>({.global = {96, 64, 64}, .grid = {3, 1, 1}, .ghosts = 1}, 3);
  const auto rim = peel(blocks, 1).rim;
  ASSERT_EQ(rim.size(), 2U);
  for (const int workers : {2, 3, 7}) {
    for (const auto& share : shared_out<3>(rim, workers)) {
      std::int64_t cells = 0;
      for (const box<3>& b : share) cells += b.size();
      EXPECT_NEAR(static_cast<double>(cells), 2.0 * 64 * 64 / workers, 2 * 64);
    }
  }
}

TEST(shared_out, rows_stay_whole_where_they_are_long) {
  const std::vector<box<2>> face{box<2>({0, 0}, {1000, 3})};
  for (const auto& share : shared_out<2>(face, 2))
    for (const box<2>& b : share) EXPECT_EQ(b.extent(axis::x), 1000);
}

TEST(shared_out, more_workers_than_rows_leave_some_with_nothing) {
  const std::vector<box<2>> rim{box<2>({0, 0}, {1, 2}), box<2>({1, 0}, {500, 1}), box<2>()};
  const auto shares = shared_out<2>(rim, 5);
  std::int64_t cells = 0;
  for (const auto& share : shares)
    for (const box<2>& b : share) cells += b.size();
  EXPECT_EQ(shares.size(), 5U);
  EXPECT_EQ(cells, 2 + 499);
}

}  // namespace
