// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <plait/plait.hpp>

#include "common/face.hpp"

namespace {

using plait::stencil::face;

using array = plait::block_array<double, 3>;
using point = plait::point<3>;

plait::decomposition<3> blocks_of(const plait::extents<3>& n, const std::array<int, 3>& grid,
                                  bool periodic = false) {
  return plait::decompose<3>(
      {.global = n, .grid = grid, .ghosts = 1, .periodic = {periodic, periodic, periodic}},
      grid[0] * grid[1] * grid[2]);
}

TEST(faces, what_one_side_sends_is_what_the_other_expects) {
  for (const bool periodic : {false, true}) {
    const auto blocks = blocks_of({7, 8, 9}, {2, 3, 2}, periodic);
    for (int rank = 0; rank < blocks.ranks(); ++rank)
      for (const face& f : plait::stencil::faces_of(blocks, rank)) {
        int matches = 0;
        for (const face& g : plait::stencil::faces_of(blocks, f.peer))
          if (g.peer == rank && g.receive_tag() == f.send_tag()) {
            ++matches;
            EXPECT_EQ(g.ghost.extent(), f.edge.extent());
          }
        EXPECT_EQ(matches, 1);
      }
  }
}

// As blocks of nodes are, each cut into those of its processes.
TEST(faces, are_found_whatever_the_order_of_the_ranks) {
  for (const bool periodic : {false, true}) {
    const auto ordered = blocks_of({8, 9, 10}, {2, 1, 3}, periodic);
    const std::vector<int> rank_of{0, 3, 1, 4, 2, 5};
    std::vector<plait::owned_block<3>> owned;
    for (std::size_t i = 0; i < rank_of.size(); ++i)
      owned.push_back({ordered.block(static_cast<int>(i)), rank_of[i]});
    const plait::decomposition<3> blocks(
        {.global = {8, 9, 10}, .ghosts = 1, .periodic = {periodic, periodic, periodic}}, owned);
    for (int rank = 0; rank < 6; ++rank) {
      const auto expected = plait::stencil::faces_of(ordered, rank);
      const auto found = plait::stencil::faces_of(blocks, rank_of[static_cast<std::size_t>(rank)]);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].peer, rank_of[static_cast<std::size_t>(expected[i].peer)]);
        EXPECT_EQ(found[i].edge, expected[i].edge);
        EXPECT_EQ(found[i].send_tag(), expected[i].send_tag());
      }
    }
  }
}

TEST(faces, are_those_that_have_a_neighbour_and_z_comes_first) {
  const auto blocks = blocks_of({4, 5, 6}, {1, 2, 2});
  const std::vector<face> faces = plait::stencil::faces_of(blocks, 0);
  ASSERT_EQ(faces.size(), 2U);
  EXPECT_TRUE(faces[0].contiguous());
  EXPECT_EQ(faces[0].peer, 2);
  EXPECT_EQ(faces[0].edge, (plait::box<3>({0, 0, 2}, {4, 3, 3})));
  EXPECT_EQ(faces[0].ghost, (plait::box<3>({0, 0, 3}, {4, 3, 4})));
  EXPECT_EQ(faces[1].peer, 1);
  EXPECT_EQ(plait::stencil::faces_of(blocks_of({4, 5, 6}, {1, 1, 1}, true), 0).size(), 6U);
}

TEST(faces, a_z_face_lies_in_memory_as_one_piece) {
  array u(blocks_of({5, 6, 4}, {1, 1, 2}), 0);
  const face f = plait::stencil::faces_of(u.blocks(), 0).front();
  const plait::view<double, 3> cells = u.block(0);
  const auto piece = plait::stencil::cells_in_memory(cells, f.edge);
  EXPECT_EQ(piece.data(), cells.at(f.edge.low));
  EXPECT_EQ(&piece.back(), &cells(4, 5, 1));
}

TEST(faces, unpacking_restores_what_was_packed) {
  const auto blocks = blocks_of({5, 6, 7}, {1, 1, 1});
  array source(blocks, 0);
  array target(blocks, 0);
  double next = 0;
  plait::for_each_cell(source.block(0).cells(),
                       [&](const point& cell) { source.block(0)[cell] = ++next; });
  const plait::box<3> some({1, -1, 2}, {4, 3, 8});
  std::vector<double> buffer(static_cast<std::size_t>(some.size()));
  plait::stencil::pack(source.block(0), some, buffer);
  plait::stencil::unpack(target.block(0), some, buffer);
  plait::for_each_cell(source.block(0).cells(), [&](const point& cell) {
    EXPECT_EQ(target.block(0)[cell], some.contains(cell) ? source.block(0)[cell] : 0);
  });
}

}  // namespace
