// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/block_decomposition.hpp>

#include "support/refusal.hpp"

namespace {

using plait::block_decomposition;
using plait::interval;
using plait::process_grid;

TEST(block_decomposition, parts_follow_each_other_and_the_first_are_one_larger) {
  for (std::int64_t cells = 0; cells <= 70; ++cells)
    for (int parts = 1; parts <= 20; ++parts) {
      std::int64_t next = 0;
      for (int part = 0; part < parts; ++part) {
        const interval range = plait::part_of(cells, parts, part);
        EXPECT_EQ(range.first, next);
        EXPECT_EQ(range.size(), cells / parts + (part < cells % parts ? 1 : 0));
        for (std::int64_t cell = range.first; cell < range.last; ++cell)
          EXPECT_EQ(plait::owner_of(cells, parts, cell), part);
        next = range.last;
      }
      EXPECT_EQ(next, cells);
    }
}

TEST(block_decomposition, sizes_beyond_32_bits_are_exact) {
  const std::int64_t cells = (std::int64_t{1} << 40) + 5;
  EXPECT_EQ(plait::part_of(cells, 8, 7).last, cells);
  EXPECT_EQ(plait::owner_of(cells, 8, cells - 1), 7);
}

TEST(block_decomposition, every_cell_has_one_owner) {
  const block_decomposition blocks({7, 5, 11}, process_grid({3, 2, 4}));
  std::vector<int> seen(7 * 5 * 11, 0);
  for (int rank = 0; rank < blocks.grid().size(); ++rank) {
    const plait::global_block block = blocks.block(rank);
    EXPECT_GE(block.cells(), 1);
    for (std::int64_t z = block.range[2].first; z < block.range[2].last; ++z)
      for (std::int64_t y = block.range[1].first; y < block.range[1].last; ++y)
        for (std::int64_t x = block.range[0].first; x < block.range[0].last; ++x) {
          EXPECT_EQ(blocks.owner({x, y, z}), rank);
          ++seen[static_cast<std::size_t>(x + 7 * (y + 5 * z))];
        }
  }
  for (const int count : seen) EXPECT_EQ(count, 1);
}

std::string refusal(std::array<std::int64_t, 3> cells, std::array<int, 3> dims) {
  return plait::test::refusal([&] { (void)block_decomposition(cells, process_grid(dims)); });
}

TEST(block_decomposition, more_parts_than_cells_are_refused_in_one_line) {
  EXPECT_EQ(
      refusal({8, 8, 3}, {1, 1, 4}),
      "3 cells along z cannot be divided among 4 processes (grid 1x1x4); every block needs at "
      "least 1");
  EXPECT_EQ(refusal({1, 8, 8}, {2, 1, 1}),
            "1 cell along x cannot be divided among 2 processes (grid 2x1x1); every block needs at "
            "least 1");
  EXPECT_EQ(refusal({4, 0, 4}, {1, 1, 1}), "the grid has 0 cells along y; it needs at least 1");
  EXPECT_EQ(refusal({4, 4, 4}, {4, 4, 4}), "accepted");
}

}  // namespace
