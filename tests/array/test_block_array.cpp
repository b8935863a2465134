// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/block_array.hpp>

namespace {

using plait::axes;
using plait::axis;
using plait::block_array;
using plait::box;
using plait::decompose;
using plait::point;
using plait::view;

struct odd_size {
  std::array<char, 7> bytes;
};
struct alignas(32) wide {
  std::array<double, 4> lanes;
};

template <class T, int D>
void expect_own_memory(const plait::decomposition<D>& blocks) {
  for (int rank = 0; rank < blocks.ranks(); ++rank) {
    block_array<T, D> u(blocks, rank);
    std::set<const void*> places;
    std::int64_t cells = 0;
    for (const int id : u.local_blocks()) {
      const view<T, D> v = u.block(id);
      EXPECT_EQ(v.cells(), blocks.block_with_ghosts(id));
      cells += v.cells().size();
      for_each_cell(v.cells(), [&](const point<D>& p) {
        const T* at = v.at(p);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at) % alignof(T), 0U);
        for (std::size_t i = 0; i < sizeof(T); ++i) {
          EXPECT_EQ(reinterpret_cast<const char*>(at)[i], 0) << "zeroed";
          places.insert(reinterpret_cast<const char*>(at) + i);
        }
        v[p] = T{};  // sanitizers look whether it is ours
      });
    }
    EXPECT_EQ(places.size(), static_cast<std::size_t>(cells) * sizeof(T)) << "cells share memory";
  }
}

TEST(block_array, every_cell_and_ghost_has_memory_of_its_own) {
  expect_own_memory<double, 1>(decompose<1>({.global = 20, .ghosts = 3}, 3));
  expect_own_memory<double, 3>(decompose<3>({.global = {9, 8, 7}, .ghosts = 1}, 4));
  expect_own_memory<float, 2>(decompose<2>({.global = {17, 9}, .ghosts = {0, 2}}, 2));
  expect_own_memory<odd_size, 3>(decompose<3>({.global = {5, 4, 3}, .ghosts = {2, 1, 0}}, 2));
  expect_own_memory<wide, 2>(decompose<2>({.global = {5, 4}, .ghosts = 1}, 2));
  expect_own_memory<char, 4>(decompose<4>({.global = {5, 4, 3, 2}, .ghosts = 1}, 2));
  expect_own_memory<int, 2>(
      decompose<2>({.global = {12, 12}, .ghosts = 1, .blocks_per_rank = {2, 3}}, 2));
}

TEST(block_array, values_are_found_by_their_global_cell) {
  const auto blocks = decompose<3>({.global = {12, 9, 8}, .ghosts = 1}, 5);
  for (int rank = 0; rank < 5; ++rank) {
    block_array<std::int64_t, 3> u(blocks, rank);
    const auto number = [](const point<3>& p) {
      return p[axis::x] + 100 * p[axis::y] + 10000 * p[axis::z];
    };
    const view<std::int64_t, 3> v = u.block(rank);
    for_each_cell(v.cells(), [&](const point<3>& p) { v[p] = number(p); });
    const auto& constant = u;
    for_each_cell(blocks.block(rank), [&](const point<3>& p) {
      const auto around = grow(box<3>(p, p + plait::extents<3>(1)));
      const view<const std::int64_t, 3> w = constant[around];
      ASSERT_EQ(w(p[axis::x] + 1, p[axis::y], p[axis::z] - 1), number(p) + 1 - 10000);
      ASSERT_EQ(*(w.at(p) - w.stride(axis::z)), number(p) - 10000);
      ASSERT_EQ(w.cells(), around);
    });
    const auto corner = blocks.block(rank).low;
    EXPECT_EQ((v.local(corner)(0, 0, -1)), number(corner) - 10000);
    EXPECT_EQ(v.local(corner).cells().low, (point<3, plait::space::local>{-1, -1, -1}));
  }
}

TEST(block_array, rows_start_on_a_cache_line_and_never_a_page_apart) {
  for (const std::int64_t n : {1, 6, 62, 510, 512, 1022, 1024}) {
    const auto blocks = decompose<3>({.global = {n, 6, 3}, .ghosts = 1}, 1);
    block_array<double, 3> u(blocks, 0);
    const view<double, 3> v = u.block(0);
    for_each_row(blocks.block(0), [&](const point<3>& first) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.at(first)) % 64, 0U);
    });
    for (const axis a : {axis::y, axis::z})
      EXPECT_NE(v.stride(a) * 8 % 4096, 0) << n << " cells, " << name_of(a);
  }
}

TEST(block_array, arrays_made_together_start_at_different_offsets_in_a_page) {
  const auto blocks = decompose<2>({.global = {64, 64}, .ghosts = 1}, 1);
  std::vector<block_array<double, 2>> arrays;
  std::set<std::uintptr_t> offsets;
  for (int i = 0; i < 12; ++i) {
    arrays.emplace_back(blocks, 0);
    offsets.insert(reinterpret_cast<std::uintptr_t>(&arrays.back().block(0)(0, 0)) % 4096);
  }
  EXPECT_EQ(offsets.size(), 12U);
  // Three in a row, as a stencil has them, are well apart.
  for (std::size_t i = 2; i < 12; ++i) {
    const auto apart = [&](std::size_t a, std::size_t b) {
      const auto at = [&](std::size_t one) {
        return reinterpret_cast<std::uintptr_t>(&arrays[one].block(0)(0, 0));
      };
      const std::uintptr_t difference = (at(a) - at(b)) % 4096;
      return std::min<std::uintptr_t>(difference, 4096 - difference);
    };
    EXPECT_GE(std::min({apart(i, i - 1), apart(i, i - 2), apart(i - 1, i - 2)}), 448U) << i;
  }
}

TEST(block_array, moving_it_keeps_elements_where_they_are) {
  const auto blocks = decompose<2>({.global = {8, 8}, .ghosts = 1}, 1);
  block_array<int, 2> u(blocks, 0);
  block_array<int, 2> v(blocks, 0);
  int* const first = &u.block(0)(0, 0);
  *first = 7;
  std::swap(u, v);
  EXPECT_EQ(&v.block(0)(0, 0), first);
  EXPECT_EQ(v.block(0)(0, 0), 7);
  v.set_zero();
  EXPECT_EQ(*first, 0);
}

TEST(block_array, a_box_means_the_block_that_owns_its_middle) {
  const auto blocks =
      decompose<2>({.global = {16, 4}, .grid = {1, 1}, .ghosts = 1, .blocks_per_rank = {2, 1}}, 1);
  block_array<int, 2> u(blocks, 0);
  for (const int id : {0, 1})
    for_each_cell(blocks.block_with_ghosts(id), [&](const point<2>& p) { u.block(id)[p] = id; });
  EXPECT_EQ(u[box<2>({6, 1}, {9, 2})](8, 1), 0) << "a ghost of the left block";
  EXPECT_EQ(u[box<2>({7, 1}, {10, 2})](7, 1), 1) << "a ghost of the right block";
  EXPECT_EQ(u[box<2>({16, 1}, {17, 2})](16, 1), 1) << "a ghost behind the domain's end";
}

TEST(block_array_death, what_is_not_there_is_said) {
  const auto blocks = decompose<2>({.global = {8, 8}, .ghosts = 1}, 2);
  block_array<int, 2> u(blocks, 0);
  EXPECT_DEATH((void)u.block(1), "block 1 is not of rank 0");
  EXPECT_DEATH((void)u[box<2>({0, 0}, {8, 8})], "are in no block of rank 0");
  EXPECT_DEATH((void)u.block(0)[box<2>({0, 0}, {8, 8})], "of \\(-1, -1\\) to \\(9, 5\\)");
}

}  // namespace
