// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/block_copies.hpp>

#include "support/refusal.hpp"

namespace {

using plait::axes;
using plait::axis;
using plait::block_copy;
using plait::box;
using plait::decompose;
using plait::decomposition;
using plait::extents;
using plait::ghost_copies;
using plait::ghost_reach;
using plait::owned_block;
using plait::point;

// Where a ghost's value comes from, by the definition: the cell itself, moved into the domain
// around periodic axes; none behind a physical boundary.
template <int D>
bool wrapped(const decomposition<D>& blocks, point<D>& p) {
  for (const axis a : axes<D>) {
    const std::int64_t n = blocks.global().extent(a);
    if (p[a] >= 0 && p[a] < n) continue;
    if (!blocks.periodic(a)) return false;
    p[a] = (p[a] % n + n) % n;
  }
  return true;
}

template <int D>
bool beside_a_face(const box<D>& own, const point<D>& p) {
  int outside = 0;
  for (const axis a : axes<D>) outside += p[a] < own.low[a] || p[a] >= own.high[a] ? 1 : 0;
  return outside == 1;
}

template <int D>
void expect_ghosts(const decomposition<D>& blocks) {
  for (const ghost_reach reach : {ghost_reach::faces, ghost_reach::all}) {
    const auto copies = ghost_copies(blocks, reach);
    // (destination, ghost) -> (source, cell), as the copies have it and as it should be.
    using origin = std::pair<int, std::array<std::int64_t, D>>;
    std::map<origin, origin> got;
    std::map<origin, origin> expected;
    for (const block_copy<D>& c : copies) {
      ASSERT_FALSE(c.from.empty());
      ASSERT_TRUE(blocks.block(c.source).contains(c.from));
      for_each_cell(c.from, [&](const point<D>& p) {
        const bool fresh =
            got.emplace(origin{c.destination, (p + c.distance).along}, origin{c.source, p.along})
                .second;
        ASSERT_TRUE(fresh) << "a ghost is filled twice";
      });
      ASSERT_EQ(c.to(), shift(c.from, c.distance));
    }
    for (int id = 0; id < static_cast<int>(blocks.blocks().size()); ++id)
      for_each_cell(blocks.block_with_ghosts(id), [&](const point<D>& p) {
        if (blocks.block(id).contains(p)) return;
        if (reach == ghost_reach::faces && !beside_a_face(blocks.block(id), p)) return;
        point<D> from = p;
        if (wrapped(blocks, from))
          expected.emplace(origin{id, p.along}, origin{blocks.block_at(from), from.along});
      });
    ASSERT_EQ(got, expected);
    // What a rank sees is what concerns it, in the order all have.
    for (int rank = 0; rank < blocks.ranks(); ++rank) {
      std::vector<block_copy<D>> mine;
      std::ranges::copy_if(copies, std::back_inserter(mine), [&](const block_copy<D>& c) {
        return blocks.rank_of(c.source) == rank || blocks.rank_of(c.destination) == rank;
      });
      ASSERT_EQ(ghost_copies(blocks, reach, rank), mine) << "rank " << rank;
    }
  }
}

TEST(ghost_copies, fill_every_ghost_once_from_the_cell_it_stands_for) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8})
    for (const bool periodic : {false, true}) {
      expect_ghosts(decompose<1>({.global = 11, .ghosts = 2, .periodic = {periodic}}, ranks));
      expect_ghosts(
          decompose<2>({.global = {9, 10}, .ghosts = {1, 2}, .periodic = {periodic, true}}, ranks));
      expect_ghosts(decompose<3>(
          {.global = {7, 5, 9}, .ghosts = 1, .periodic = {false, periodic, true}}, ranks));
    }
  expect_ghosts(decompose<4>(
      {.global = {3, 4, 3, 5}, .ghosts = {1, 0, 1, 1}, .periodic = {true, false, false, true}}, 6));
}

TEST(ghost_copies, ghosts_may_be_wider_than_blocks_and_than_a_periodic_domain) {
  expect_ghosts(decompose<1>({.global = 8, .ghosts = 5}, 8));
  expect_ghosts(decompose<1>({.global = 3, .ghosts = 7, .periodic = {true}}, 2));
  expect_ghosts(
      decompose<2>({.global = {6, 2}, .grid = {6, 1}, .ghosts = 3, .periodic = {false, true}}, 6));
}

TEST(ghost_copies, ranks_may_have_several_blocks_and_weights) {
  expect_ghosts(decompose<2>({.global = {12, 10},
                              .ghosts = 1,
                              .periodic = {true, false},
                              .weights = {{{3, 1}, {}}},
                              .blocks_per_rank = {2, 2}},
                             4));
}

// Cuts a box at random places, again and again.
void cut_at_random(const box<2>& b, int depth, std::mt19937_64& random,
                   std::vector<owned_block<2>>& blocks) {
  const axis a = random() % 2 == 0 ? axis::x : axis::y;
  if (depth == 0 || b.extent(a) < 2) {
    blocks.push_back({b, static_cast<int>(random() % 4)});
    return;
  }
  box<2> low = b;
  box<2> high = b;
  low.high[a] = high.low[a] =
      b.low[a] + 1 + static_cast<std::int64_t>(random() % 1000) % (b.extent(a) - 1);
  cut_at_random(low, depth - 1, random, blocks);
  cut_at_random(high, depth - 1, random, blocks);
}

decomposition<2> irregular(unsigned seed, std::int64_t ghosts) {
  std::mt19937_64 random(seed);
  std::vector<owned_block<2>> blocks;
  cut_at_random(box<2>({13, 11}), 4, random, blocks);
  for (int rank = 0; rank < 4; ++rank) blocks[static_cast<std::size_t>(rank)].rank = rank;
  return {{.global = {13, 11}, .ghosts = ghosts, .periodic = {seed % 2 == 0, seed % 3 == 0}},
          blocks};
}

TEST(ghost_copies, irregular_blocks_are_filled_as_well) {
  for (unsigned seed = 0; seed < 20; ++seed) expect_ghosts(irregular(seed, 1 + seed % 3));
}

template <int D>
void expect_moved(const decomposition<D>& from, const decomposition<D>& to) {
  const auto copies = redistribution_copies(from, to);
  std::set<std::array<std::int64_t, D>> seen;
  for (const block_copy<D>& c : copies) {
    ASSERT_EQ(c.distance, extents<D>());
    for_each_cell(c.from, [&](const point<D>& p) {
      ASSERT_EQ(from.block_at(p), c.source);
      ASSERT_EQ(to.block_at(p), c.destination);
      ASSERT_TRUE(seen.insert(p.along).second) << "moved twice";
    });
  }
  ASSERT_EQ(static_cast<std::int64_t>(seen.size()), from.global().size());
  for (int rank = 0; rank < std::max(from.ranks(), to.ranks()); ++rank) {
    std::vector<block_copy<D>> mine;
    std::ranges::copy_if(copies, std::back_inserter(mine), [&](const block_copy<D>& c) {
      return from.rank_of(c.source) == rank || to.rank_of(c.destination) == rank;
    });
    ASSERT_EQ(redistribution_copies(from, to, rank), mine) << "rank " << rank;
  }
}

TEST(redistribution_copies, bring_every_cell_to_its_new_block_once) {
  const auto slabs = decompose<3>({.global = {8, 9, 10}, .grid = {1, 1, 5}}, 5);
  const auto pencils = decompose<3>({.global = {8, 9, 10}, .grid = {2, 3, 1}}, 6);
  expect_moved(slabs, pencils);
  expect_moved(pencils, slabs);
  expect_moved(slabs, slabs);
  for (unsigned seed = 0; seed < 10; ++seed)
    expect_moved(irregular(seed, 1), irregular(seed + 1, 0));
}

TEST(redistribution_copies, another_domain_is_refused_in_one_line) {
  EXPECT_EQ(plait::test::refusal([] {
              (void)redistribution_copies(decompose<2>({.global = {8, 8}}, 2),
                                          decompose<2>({.global = {8, 9}}, 2));
            }),
            "a domain of 8x8 cells cannot be redistributed to one of 8x9; they must have the same "
            "size");
}

}  // namespace
