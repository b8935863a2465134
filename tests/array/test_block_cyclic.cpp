// SPDX-License-Identifier: BSD-3-Clause
// Block-cyclic decompositions, held against the index arithmetic that ScaLAPACK publishes.
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/block_array.hpp>
#include <plait/array/block_cyclic.hpp>

#include "support/refusal.hpp"

namespace {

using plait::axes;
using plait::axis;
using plait::block_cyclic;
using plait::block_cyclic_options;
using plait::box;
using plait::decompose;
using plait::extents;
using plait::grid_order;
using plait::point;
using plait::space;

// As ScaLAPACK's TOOLS/numroc.f, indxl2g.f, indxg2p.f and indxg2l.f have them: indices from 1,
// division and mod of Fortran, which for these arguments are those of C++.
namespace scalapack {

std::int64_t numroc(std::int64_t n, std::int64_t nb, std::int64_t iproc, std::int64_t isrcproc,
                    std::int64_t nprocs) {
  const std::int64_t mydist = (nprocs + iproc - isrcproc) % nprocs;
  const std::int64_t nblocks = n / nb;
  std::int64_t result = (nblocks / nprocs) * nb;
  const std::int64_t extrablks = nblocks % nprocs;
  if (mydist < extrablks) {
    result = result + nb;
  } else if (mydist == extrablks) {
    result = result + n % nb;
  }
  return result;
}

std::int64_t indxl2g(std::int64_t indxloc, std::int64_t nb, std::int64_t iproc,
                     std::int64_t isrcproc, std::int64_t nprocs) {
  return nprocs * nb * ((indxloc - 1) / nb) + (indxloc - 1) % nb +
         ((nprocs + iproc - isrcproc) % nprocs) * nb + 1;
}

std::int64_t indxg2p(std::int64_t indxglob, std::int64_t nb, std::int64_t isrcproc,
                     std::int64_t nprocs) {
  return (isrcproc + (indxglob - 1) / nb) % nprocs;
}

std::int64_t indxg2l(std::int64_t indxglob, std::int64_t nb, std::int64_t nprocs) {
  return nb * ((indxglob - 1) / (nb * nprocs)) + (indxglob - 1) % nb + 1;
}

// Blacs_gridinit: where process `pnum` of nprow x npcol sits.
std::array<int, 2> place(int pnum, grid_order order, int nprow, int npcol) {
  if (order == grid_order::row_major) return {pnum / npcol, pnum % npcol};
  return {pnum % nprow, pnum / nprow};
}

}  // namespace scalapack

int pick(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

int place_along(const std::array<int, 2>& place, axis a) {
  return place[static_cast<std::size_t>(index_of(a))];
}

/// A deal at random: blocks longer than the domain, and grids with more ranks than blocks, too.
block_cyclic_options<2> random_deal(std::mt19937& random) {
  return {.global = {pick(random, 1, 40), pick(random, 1, 40)},
          .block = {pick(random, 1, 9), pick(random, 1, 50)},
          .grid = {pick(random, 1, 4), pick(random, 1, 4)},
          .order = pick(random, 0, 1) == 0 ? grid_order::column_major : grid_order::row_major};
}

std::string name_of_deal(const block_cyclic_options<2>& o) {
  return to_string(o.global) + " cells, blocks of " + to_string(o.block) + ", grid " +
         std::to_string(o.grid[0]) + "x" + std::to_string(o.grid[1]) +
         (o.order == grid_order::row_major ? ", row by row" : "");
}

TEST(block_cyclic, every_index_is_that_of_scalapack) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const auto options = random_deal(random);
    const block_cyclic<2> dealt(options, options.grid[0] * options.grid[1]);
    SCOPED_TRACE(name_of_deal(options));
    for (int rank = 0; rank < dealt.ranks(); ++rank) {
      const auto place = scalapack::place(rank, options.order, options.grid[0], options.grid[1]);
      ASSERT_EQ(dealt.place_of(rank), place) << rank;
      ASSERT_EQ(dealt.rank_at(place), rank);
      for (const axis a : axes<2>) {
        ASSERT_EQ(dealt.packed_extent(rank)[a],
                  scalapack::numroc(options.global[a], options.block[a], place_along(place, a), 0,
                                    place_along(options.grid, a)))
            << "rank " << rank;
      }
      for_each_cell(box<2, space::packed>(dealt.packed_extent(rank)), [&](const auto& mine) {
        const point<2> cell = dealt.to_global(mine, rank);
        for (const axis a : axes<2>) {
          const std::int64_t n = place_along(options.grid, a);
          ASSERT_EQ(cell[a] + 1,
                    scalapack::indxl2g(mine[a] + 1, options.block[a], place_along(place, a), 0, n))
              << "rank " << rank << ", its cell " << to_string(mine);
        }
      });
    }
    for_each_cell(dealt.global(), [&](const point<2>& cell) {
      const int rank = dealt.rank_of(cell);
      const auto mine = dealt.to_packed(cell);
      for (const axis a : axes<2>) {
        const std::int64_t n = place_along(options.grid, a);
        ASSERT_EQ(place_along(dealt.place_of(rank), a),
                  scalapack::indxg2p(cell[a] + 1, options.block[a], 0, n))
            << "cell " << to_string(cell);
        ASSERT_EQ(mine[a] + 1, scalapack::indxg2l(cell[a] + 1, options.block[a], n))
            << "cell " << to_string(cell);
      }
      ASSERT_EQ(dealt.to_global(mine, rank), cell);
    });
  }
}

TEST(block_cyclic, indices_beyond_32_bits_are_exact) {
  const std::int64_t cells = (std::int64_t{1} << 40) + 5;
  const block_cyclic<1> dealt({.global = cells, .block = std::int64_t{1} << 33}, 7);
  std::int64_t sum = 0;
  for (int rank = 0; rank < 7; ++rank) sum += dealt.packed_extent(rank)[axis::x];
  EXPECT_EQ(sum, cells);
  const point<1> last(cells - 1);
  EXPECT_EQ(dealt.rank_of(last), 128 % 7);
  EXPECT_EQ(dealt.to_global(dealt.to_packed(last), 128 % 7), last);
}

TEST(block_cyclic, its_blocks_are_a_decomposition_that_holds_every_cell_where_it_belongs) {
  std::mt19937 random(11);
  for (int i = 0; i < 60; ++i) {
    const auto options = random_deal(random);
    const block_cyclic<2> dealt(options, 16);
    SCOPED_TRACE(name_of_deal(options));
    const auto blocks = decompose(dealt);
    EXPECT_EQ(blocks.global(), dealt.global());
    std::vector<std::int64_t> cells(16);
    for (std::size_t id = 0; id < blocks.blocks().size(); ++id) {
      const box<2>& own = blocks.blocks()[id];
      const int rank = blocks.rank_of(static_cast<int>(id));
      cells[static_cast<std::size_t>(rank)] += own.size();
      // A block lies in one piece among its rank's cells, too.
      const auto low = dealt.to_packed(own.low);
      for_each_cell(own, [&](const point<2>& cell) {
        ASSERT_EQ(dealt.rank_of(cell), rank) << "cell " << to_string(cell);
        ASSERT_EQ(dealt.to_packed(cell), low + (cell - own.low)) << "cell " << to_string(cell);
      });
    }
    for (int rank = 0; rank < 16; ++rank)
      EXPECT_EQ(cells[static_cast<std::size_t>(rank)], dealt.packed_extent(rank).product())
          << "rank " << rank;
  }
}

TEST(block_cyclic, blocks_come_by_their_corners_and_the_last_ones_are_short) {
  const block_cyclic<2> dealt({.global = {5, 4}, .block = {2, 3}, .grid = {2, 2}}, 4);
  const auto blocks = decompose(dealt);
  ASSERT_EQ(blocks.blocks().size(), 6U);
  EXPECT_EQ(blocks.block(1), box<2>({2, 0}, {4, 3}));
  EXPECT_EQ(blocks.block(2), box<2>({4, 0}, {5, 3})) << "short along x";
  EXPECT_EQ(blocks.block(5), box<2>({4, 3}, {5, 4})) << "short along both";
  EXPECT_EQ(blocks.rank_of(2), 0) << "the third along x is the first place's again";
  EXPECT_EQ(blocks.rank_of(4), 3);
  EXPECT_EQ(blocks.blocks_of(0).size(), 2U);
  EXPECT_EQ(blocks.with_ghosts(1).block_with_ghosts(5), box<2>({3, 2}, {6, 5}));
}

TEST(block_cyclic, some_ranks_have_no_block) {
  const block_cyclic<1> few({.global = 5, .block = 2}, 7);
  EXPECT_EQ(few.packed_extent(2), extents<1>(1));
  EXPECT_EQ(few.packed_extent(3), extents<1>(0));
  const block_cyclic<2> beside({.global = {9, 9}, .block = 2, .grid = {2, 2}}, 7);
  EXPECT_EQ(beside.ranks(), 4);
  EXPECT_EQ(beside.packed_extent(6), extents<2>(0)) << "beyond the grid";
  const plait::block_array<double, 2> none{decompose(beside), 6};
  EXPECT_TRUE(none.local_blocks().empty());
}

TEST(block_cyclic, an_array_has_each_block_with_its_own_cells) {
  const block_cyclic<2> dealt({.global = {11, 7}, .block = {3, 2}, .grid = {2, 2}}, 4);
  for (int rank = 0; rank < 4; ++rank) {
    plait::block_array<std::int64_t, 2> a{decompose(dealt), rank};
    const auto number = [](const point<2>& cell) { return cell[axis::x] + 100 * cell[axis::y]; };
    for (const int id : a.local_blocks())
      for_each_cell(a.blocks().block(id),
                    [&](const point<2>& cell) { a.block(id)[cell] = number(cell); });
    for_each_cell(box<2, space::packed>(dealt.packed_extent(rank)), [&](const auto& mine) {
      const point<2> cell = dealt.to_global(mine, rank);
      ASSERT_EQ(a.block(a.blocks().block_at(cell))[cell], number(cell))
          << "rank " << rank << ", its cell " << to_string(mine);
    });
  }
}

TEST(block_cyclic, what_cannot_be_dealt_is_refused_in_one_line) {
  const auto refused = [](const block_cyclic_options<2>& options, int ranks) {
    return plait::test::refusal([&] { (void)block_cyclic<2>(options, ranks); });
  };
  EXPECT_EQ(refused({.global = {4, 0}, .block = 2}, 1),
            "block-cyclic: 0 cells along y; at least 1 is needed");
  EXPECT_EQ(refused({.global = {4, 4}, .block = {0, 2}}, 1),
            "block-cyclic: blocks of 0 cells along x; at least 1 is needed");
  EXPECT_EQ(refused({.global = {4, 4}, .block = 2, .grid = {2, 2}}, 3),
            "process grid 2x2 does not fit 3 ranks");
  EXPECT_EQ(refused({.global = {4, 4}, .block = 2, .grid = {2, -1}}, 2),
            "process grid 2x-1 has a negative dimension; use 0 to let it be chosen");
  EXPECT_EQ(refused({.global = {4, 4}, .block = 2, .grid = {2, 2}}, 5), "accepted")
      << "a grid of fewer ranks";
  EXPECT_EQ(plait::test::refusal([] {
              const std::int64_t many = std::int64_t{1} << 20;
              (void)decompose(block_cyclic<2>({.global = many, .block = 1}, 4));
            }),
            "block-cyclic: 1048576x1048576 blocks of 1x1 cells are too many; make them larger");
}

}  // namespace
