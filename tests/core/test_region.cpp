// SPDX-License-Identifier: BSD-3-Clause
// Boxes and regions against sets of cells, in one to four dimensions.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/box_tree.hpp>

#include "cell_set.hpp"

namespace {

using plait::axes;
using plait::axis;
using plait::box;
using plait::extents;
using plait::point;
using plait::region;
using plait::side;
using plait::test::cell_set;
using plait::test::cells_of;
using plait::test::random_boxes;

template <class Dimensions>
class calculus : public ::testing::Test {};
template <int D>
using dimensions = std::integral_constant<int, D>;
using one_to_four = ::testing::Types<dimensions<1>, dimensions<2>, dimensions<3>, dimensions<4>>;
TYPED_TEST_SUITE(calculus, one_to_four);

constexpr unsigned rounds = 120;

template <int D>
cell_set<D> cells_of(const std::vector<box<D>>& boxes) {
  cell_set<D> result;
  for (const box<D>& b : boxes) result.merge(cells_of(b));
  return result;
}

template <class Cells>
Cells minus(const Cells& a, const Cells& b) {
  Cells result;
  std::ranges::set_difference(a, b, std::inserter(result, result.end()));
  return result;
}

template <class Cells>
Cells common(const Cells& a, const Cells& b) {
  Cells result;
  std::ranges::set_intersection(a, b, std::inserter(result, result.end()));
  return result;
}

// All cells c + d with c in `cells` and -low <= d <= high.
template <class Cells, int D>
Cells spread(const Cells& cells, const extents<D>& low, const extents<D>& high) {
  Cells result;
  for (const auto& at : cells) {
    box<D> around;
    around.low.along = at;
    around.high = around.low + high + extents<D>(1);
    around.low = around.low - low;
    result.merge(cells_of(around));
  }
  return result;
}

// The cells from which every cell up to `low` below and `high` above is in `cells`.
template <class Cells, int D>
Cells worn(const Cells& cells, const extents<D>& low, const extents<D>& high) {
  Cells result;
  for (const auto& at : cells) {
    const auto around = spread(Cells{at}, low, high);
    if (std::ranges::includes(cells, around)) result.insert(at);
  }
  return result;
}

template <int D, class Cells>
void expect_cells(const region<D>& r, const Cells& expected) {
  ASSERT_EQ(cells_of(r), expected) << ::testing::PrintToString(r);
  ASSERT_EQ(r.size(), static_cast<std::int64_t>(expected.size())) << "its boxes overlap";
  ASSERT_EQ(r.empty(), expected.empty());
  for (const box<D>& b : r.boxes()) ASSERT_FALSE(b.empty());
}

TYPED_TEST(calculus, boxes_are_what_their_cells_are) {
  constexpr int D = TypeParam::value;
  for (unsigned seed = 0; seed < rounds; ++seed) {
    random_boxes<D> random(seed);
    const box<D> a = random.one();
    const box<D> b = random.one();
    const auto cells_a = cells_of(a);
    const auto cells_b = cells_of(b);
    ASSERT_EQ(a.size(), static_cast<std::int64_t>(cells_a.size()));
    ASSERT_EQ(a.empty(), cells_a.empty());
    ASSERT_EQ(a == b, cells_a == cells_b);
    ASSERT_EQ(a.contains(b), std::ranges::includes(cells_a, cells_b));
    ASSERT_EQ(a.contains(b.low), cells_a.contains(b.low.along));
    ASSERT_EQ(cells_of(intersect(a, b)), common(cells_a, cells_b));
    ASSERT_EQ(overlap(a, b), !common(cells_a, cells_b).empty());
    expect_cells(subtract(a, b), minus(cells_a, cells_b));
    ASSERT_LE(subtract(a, b).boxes().size(), 2U * D);
    const box<D> both = bounds(a, b);
    ASSERT_TRUE(both.contains(a) && both.contains(b));
    for (const axis along : axes<D>)
      for (const side s : plait::both_sides)
        if (!both.empty()) {
          const box<D> less = shrink(both, along, s, 1);
          ASSERT_FALSE(less.contains(a) && less.contains(b)) << "bounds are too wide";
        }
    const extents<D> low = random.widths();
    const extents<D> high = random.widths();
    ASSERT_EQ(cells_of(grow(a, low, high)), spread(cells_a, low, high));
    ASSERT_EQ(cells_of(shrink(a, low, high)), worn(cells_a, low, high));
    ASSERT_EQ(shrink(grow(a, low, high), low, high), a);
    ASSERT_EQ(shift(shift(a, low), -low), a);
  }
}

TYPED_TEST(calculus, one_side_grows_and_shrinks_alone) {
  constexpr int D = TypeParam::value;
  random_boxes<D> random(7);
  for (unsigned round = 0; round < rounds; ++round) {
    const box<D> b = random.one();
    for (const axis a : axes<D>)
      for (const side s : plait::both_sides) {
        const std::int64_t width = random.number(0, 3);
        ASSERT_EQ(region<D>(layers_outside(b, a, s, width)), subtract(grow(b, a, s, width), b));
        ASSERT_EQ(region<D>(layers_inside(b, a, s, width)), subtract(b, shrink(b, a, s, width)));
      }
  }
}

TYPED_TEST(calculus, rows_and_cells_come_in_the_order_of_memory) {
  constexpr int D = TypeParam::value;
  for (unsigned seed = 0; seed < rounds; ++seed) {
    const box<D> b = random_boxes<D>(seed).one();
    std::vector<std::array<std::int64_t, D>> visited;
    for_each_cell(b, [&](const point<D>& at) { visited.push_back(at.along); });
    const auto in_memory = [](const auto& l, const auto& r) {
      return std::lexicographical_compare(l.rbegin(), l.rend(), r.rbegin(), r.rend());
    };
    ASSERT_TRUE(std::ranges::is_sorted(visited, in_memory));
    const auto expected = cells_of(b);
    ASSERT_EQ(visited.size(), expected.size());
    ASSERT_EQ((cell_set<D>(visited.begin(), visited.end())), expected);
    std::int64_t rows = 0;
    for_each_row(b, [&](const point<D>& first) {
      ++rows;
      ASSERT_EQ(first[axis::x], b.low[axis::x]);
    });
    ASSERT_EQ(rows, b.rows());
    ASSERT_EQ(rows * b.extent(axis::x), b.size());
  }
}

TYPED_TEST(calculus, regions_are_what_their_cells_are) {
  constexpr int D = TypeParam::value;
  for (unsigned seed = 0; seed < rounds; ++seed) {
    random_boxes<D> random(seed);
    const auto boxes_a = random.some();
    const auto boxes_b = random.some();
    const region<D> a(boxes_a);
    const region<D> b(boxes_b);
    const auto cells_a = cells_of<D>(boxes_a);
    const auto cells_b = cells_of<D>(boxes_b);
    expect_cells(a, cells_a);
    expect_cells(intersect(a, b), common(cells_a, cells_b));
    expect_cells(subtract(a, b), minus(cells_a, cells_b));
    auto together = cells_a;
    together.insert(cells_b.begin(), cells_b.end());
    expect_cells(unite(a, b), together);
    const box<D> within = random.one();
    expect_cells(complement(a, within), minus(cells_of(within), cells_a));
    const extents<D> low = random.widths();
    const extents<D> high = random.widths();
    expect_cells(grow(a, low, high), spread(cells_a, low, high));
    expect_cells(shrink(a, low, high), worn(cells_a, low, high));
    expect_cells(shift(shift(a, low), -low), cells_a);
    ASSERT_EQ(a == b, cells_a == cells_b);
    ASSERT_TRUE(unite(a, b) == unite(b, a)) << "cut differently, but the same cells";
    for (const auto& at : cells_of(a.bounds())) {
      point<D> p;
      p.along = at;
      ASSERT_EQ(a.contains(p), cells_a.contains(at));
    }
  }
}

TYPED_TEST(calculus, a_tree_finds_what_looking_at_all_finds) {
  constexpr int D = TypeParam::value;
  for (unsigned seed = 0; seed < 20; ++seed) {
    random_boxes<D> random(seed);
    std::vector<box<D>> boxes(static_cast<std::size_t>(random.number(0, 70)));
    for (box<D>& b : boxes) b = random.one();
    const plait::box_tree<D> tree(boxes);
    for (int query = 0; query < 20; ++query) {
      const box<D> wanted = random.one();
      std::vector<int> expected;
      for (std::size_t i = 0; i < boxes.size(); ++i)
        if (overlap(boxes[i], wanted)) expected.push_back(static_cast<int>(i));
      std::vector<int> found{-1};
      tree.find_overlapping(wanted, found);
      ASSERT_EQ(found, expected);
    }
  }
}

TEST(region, pieces_that_touch_are_joined_again) {
  region<2> r;
  for (std::int64_t i = 0; i < 64; ++i)
    r = unite(r, region<2>(box<2>({i % 8, i / 8}, {i % 8 + 1, i / 8 + 1})));
  ASSERT_EQ(r.boxes().size(), 1U);
  EXPECT_EQ(r.boxes().front(), box<2>({8, 8}));
}

TEST(region, cuts_leave_rows_whole_as_long_as_possible) {
  const auto shell = subtract(box<3>({8, 8, 8}), box<3>({1, 1, 1}, {7, 7, 7}));
  std::int64_t rows = 0;
  for (const box<3>& b : shell.boxes()) rows += b.extent(axis::x) == 8 ? b.rows() : 0;
  EXPECT_EQ(rows, 64 - 36) << "every row that has no hole";
}

TEST(point, a_cell_keeps_its_place_when_it_is_counted_from_a_corner) {
  const point<3> corner{4, -2, 9};
  const point<3> cell{5, 7, 8};
  const auto local = to_local(cell, corner);
  EXPECT_EQ(local, (point<3, plait::space::local>{1, 9, -1}));
  EXPECT_EQ(to_global(local, corner), cell);
  const box<3> b(corner, cell);
  EXPECT_EQ(to_global(to_local(b, corner), corner), b);
  EXPECT_EQ(to_string(b), "(4, -2, 9) to (5, 7, 8)");
  EXPECT_EQ(to_string(extents<3>(2)), "2x2x2");
}

TEST(box, a_star_is_what_lies_straight_before_a_cell) {
  const box<2> b({2, 3}, {5, 4});
  for_each_cell(grow(b), [&](const point<2>& cell) {
    const bool corner = !(cell.along[0] >= 2 && cell.along[0] < 5) && cell.along[1] != 3;
    const auto boxes = star(b);
    EXPECT_EQ(std::ranges::any_of(boxes, [&](const box<2>& one) { return one.contains(cell); }),
              !corner);
  });
  EXPECT_EQ(star(box<1>(point<1>(4), point<1>(6)), 3)[0], box<1>(point<1>(1), point<1>(9)));
  EXPECT_TRUE(star(box<3>())[1].empty());
}

TEST(box, is_known_to_the_compiler) {
  constexpr box<2> b({1, 2}, {4, 6});
  static_assert(b.size() == 12 && grow(b).size() == 30 && shrink(b).size() == 2);
  static_assert(intersect(b, shift(b, extents<2>{2, 2})).size() == 2);
  static_assert(box<2>({3, 0}) == box<2>({0, 3}), "empty boxes are equal");
}

}  // namespace
