// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/decomposition.hpp>

#include "support/refusal.hpp"

namespace {

using plait::axes;
using plait::axis;
using plait::box;
using plait::decompose;
using plait::decomposition;
using plait::decomposition_options;
using plait::owned_block;
using plait::point;
using plait::side;

template <int D>
void expect_cover(const decomposition<D>& blocks) {
  std::int64_t cells = 0;
  for (std::size_t i = 0; i < blocks.blocks().size(); ++i) {
    const box<D>& own = blocks.blocks()[i];
    const int id = static_cast<int>(i);
    EXPECT_FALSE(own.empty());
    cells += own.size();
    for_each_cell(own, [&](const point<D>& p) {
      ASSERT_EQ(blocks.block_at(p), id) << "cell " << to_string(p) << " has two owners";
    });
    const auto of_rank = blocks.blocks_of(blocks.rank_of(id));
    EXPECT_EQ(std::ranges::count(of_rank, id), 1);
  }
  EXPECT_EQ(cells, blocks.global().size());
}

TEST(decomposition, every_cell_has_one_owner_for_any_number_of_ranks) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8}) {
    expect_cover(decompose<1>({.global = 23}, ranks));
    expect_cover(decompose<2>({.global = {9, 11}}, ranks));
    expect_cover(decompose<3>({.global = {7, 9, 11}}, ranks));
    expect_cover(decompose<4>({.global = {2, 3, 7, 8}}, ranks));
    const auto finer = decompose<3>({.global = {7, 9, 17}, .blocks_per_rank = {1, 2, 2}}, ranks);
    expect_cover(finer);
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(finer.blocks_of(rank).size(), 4U);
  }
}

TEST(decomposition, blocks_are_those_of_the_grid_of_ranks_and_differ_by_a_cell_at_most) {
  const auto blocks = decompose<3>({.global = {7, 5, 11}, .grid = {3, 2, 4}}, 24);
  ASSERT_TRUE(blocks.grid().has_value());
  for (int rank = 0; rank < 24; ++rank) {
    const auto at = blocks.grid()->coordinates(rank);
    const box<3>& own = blocks.block(rank);
    EXPECT_EQ(blocks.rank_of(rank), rank);
    for (const axis a : axes<3>) {
      const auto i = at[static_cast<std::size_t>(index_of(a))];
      const std::int64_t parts = blocks.grid()->extent(a);
      const std::int64_t cells = blocks.global().extent(a);
      EXPECT_EQ(own.extent(a), cells / parts + (i < cells % parts ? 1 : 0));
      EXPECT_EQ(own.low[a] == 0, i == 0);
    }
  }
}

TEST(decomposition, sizes_beyond_32_bits_are_exact) {
  const std::int64_t cells = (std::int64_t{1} << 40) + 5;
  const auto blocks = decompose<1>({.global = cells}, 8);
  EXPECT_EQ(blocks.block(7).high[axis::x], cells);
  EXPECT_EQ(blocks.block(4).extent(axis::x), cells / 8 + 1);
  EXPECT_EQ(blocks.block(5).extent(axis::x), cells / 8);
  EXPECT_EQ(blocks.block_at(point<1>(cells - 1)), 7);
}

TEST(decomposition, weights_along_an_axis_say_how_much_each_part_gets) {
  const auto blocks = decompose<2>({.global = {94, 10}, .weights = {{{44, 50}, {}}}}, 4);
  EXPECT_EQ(blocks.grid()->dims(), (std::array{2, 2}));
  EXPECT_EQ(blocks.block(0).extent(axis::x), 44);
  EXPECT_EQ(blocks.block(3).extent(axis::x), 50);
  expect_cover(blocks);
}

TEST(decomposition, a_side_has_a_neighbour_unless_the_domain_ends_there) {
  const auto blocks =
      decompose<2>({.global = {8, 8}, .grid = {2, 2}, .ghosts = 1, .periodic = {true, false}}, 4);
  EXPECT_TRUE(blocks.has_neighbour(0, axis::x, side::low)) << "periodic";
  EXPECT_FALSE(blocks.has_neighbour(0, axis::y, side::low));
  EXPECT_TRUE(blocks.has_neighbour(0, axis::y, side::high));
  EXPECT_FALSE(blocks.has_neighbour(2, axis::y, side::high));
  EXPECT_EQ(blocks.block_with_ghosts(0), box<2>({-1, -1}, {5, 5}));
  EXPECT_EQ(blocks.with_ghosts(2).block_with_ghosts(0), box<2>({-2, -2}, {6, 6}));
  EXPECT_EQ(blocks.ghosts(), plait::extents<2>(1)) << "others keep theirs";
}

TEST(decomposition, blocks_may_be_any_that_cover_the_domain) {
  const std::vector<owned_block<2>> pinwheel{{box<2>({0, 0}, {2, 1}), 1},
                                             {box<2>({2, 0}, {3, 2}), 0},
                                             {box<2>({1, 2}, {3, 3}), 1},
                                             {box<2>({0, 1}, {1, 3}), 2},
                                             {box<2>({1, 1}, {2, 2}), 0}};
  const decomposition<2> blocks({.global = {3, 3}}, pinwheel);
  expect_cover(blocks);
  EXPECT_EQ(blocks.ranks(), 3);
  EXPECT_FALSE(blocks.grid().has_value());
  EXPECT_EQ(blocks.blocks_of(1).size(), 2U);
  EXPECT_EQ(blocks.blocks_of(1)[1], 2);
}

template <int D>
std::string refusal(const decomposition_options<D>& options, int ranks) {
  return plait::test::refusal([&] { (void)decompose<D>(options, ranks); });
}

TEST(decomposition, what_cannot_be_divided_is_refused_in_one_line) {
  EXPECT_EQ(
      refusal<3>({.global = {8, 8, 3}, .grid = {1, 1, 4}}, 4),
      "3 cells along z cannot be divided among 4 processes (grid 1x1x4); every block needs at "
      "least 1");
  EXPECT_EQ(refusal<3>({.global = {1, 8, 8}, .grid = {2, 1, 1}}, 2),
            "1 cell along x cannot be divided among 2 processes (grid 2x1x1); every block needs at "
            "least 1");
  EXPECT_EQ(refusal<3>({.global = {4, 0, 4}}, 1),
            "the grid has 0 cells along y; it needs at least 1");
  EXPECT_EQ(refusal<3>({.global = {4, 4, 4}, .grid = {4, 4, 4}}, 64), "accepted");
  EXPECT_EQ(refusal<2>({.global = {4, 4}, .ghosts = {0, -1}}, 1),
            "ghosts of width -1 along y; 0 is the least");
  EXPECT_EQ(refusal<2>({.global = {4, 4}, .blocks_per_rank = {1, 0}}, 1),
            "0 blocks per rank along y; at least 1 is needed");
  EXPECT_EQ(refusal<2>({.global = {4, 4}, .grid = {1, 3}, .weights = {{{}, {1, 2}}}}, 3),
            "2 weights along y for 3 parts; give as many");
  EXPECT_EQ(refusal<2>({.global = {4, 4}, .weights = {{{}, {1, 2}}}}, 3),
            "process grid 0x2 does not fit 3 ranks");
  EXPECT_EQ(refusal<2>({.global = {4, 4}, .weights = {{{1, 0}, {}}}}, 2),
            "weight 0.000000 along x is not positive and finite");
  EXPECT_EQ(refusal<2>({.global = {4, 4}, .grid = {2, 1}, .blocks_per_rank = {3, 1}}, 2),
            "2 cells along x cannot be cut into 3 parts; every part needs at least 1");
}

TEST(decomposition, blocks_that_do_not_cover_the_domain_once_are_refused_in_one_line) {
  const auto refused = [](const std::vector<owned_block<2>>& blocks) {
    return plait::test::refusal([&] { (void)decomposition<2>({.global = {4, 4}}, blocks); });
  };
  EXPECT_EQ(refused({{box<2>({0, 0}, {4, 3}), 0}}),
            "the blocks have 12 of the domain's 16 cells; they must have all");
  EXPECT_EQ(refused({{box<2>({0, 0}, {4, 3}), 0}, {box<2>({2, 2}, {4, 4}), 1}}),
            "blocks 0 and 1 share cell (2, 2); blocks must not overlap");
  EXPECT_EQ(refused({{box<2>({0, 0}, {4, 5}), 0}}),
            "block 0, (0, 0) to (4, 5), of rank 0, leaves the domain (0, 0) to (4, 4)");
  EXPECT_EQ(refused({{box<2>({0, 0}, {0, 4}), 0}}),
            "block 0, (0, 0) to (0, 4), of rank 0, has no cells; every block needs at least 1");
  EXPECT_EQ(refused({{box<2>({0, 0}, {4, 4}), -1}}),
            "block 0, (0, 0) to (4, 4), of rank -1: ranks count from 0");
}

}  // namespace
