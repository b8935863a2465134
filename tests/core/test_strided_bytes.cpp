// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <plait/core/strided_bytes.hpp>

namespace {

using plait::byte_range;
using plait::covers;
using plait::share_a_byte;
using plait::strided_bytes;

std::set<std::uintptr_t> bytes_of(const strided_bytes& box) {
  std::set<std::uintptr_t> all;
  for_each_row(box, [&all](byte_range row) {
    for (std::uintptr_t at = row.begin; at < row.end; ++at) all.insert(at);
  });
  return all;
}

TEST(strided_bytes, left_and_right_half_of_the_same_rows_share_nothing) {
  const strided_bytes left{.begin = 1000, .row_bytes = 50, .axes = {{{64, 100}}}};
  strided_bytes right = left;
  right.begin += 50;
  EXPECT_FALSE(share_a_byte(left, right));
  right.begin -= 1;
  EXPECT_TRUE(share_a_byte(left, right));
}

TEST(strided_bytes, a_box_of_whole_rows_is_contiguous) {
  EXPECT_TRUE((strided_bytes{.begin = 8, .row_bytes = 40, .axes = {{{3, 200}, {5, 40}}}}
                   .normalised()
                   .contiguous()));
  EXPECT_FALSE((strided_bytes{.begin = 8, .row_bytes = 39, .axes = {{{3, 200}, {5, 40}}}}
                    .normalised()
                    .contiguous()));
  EXPECT_TRUE((strided_bytes{.begin = 8, .row_bytes = 39, .axes = {{{1, 200}, {1, 40}}}}
                   .normalised()
                   .contiguous()));
}

TEST(strided_bytes, strides_may_descend_backwards_and_come_in_any_order) {
  const strided_bytes forwards{.begin = 1000, .row_bytes = 4, .axes = {{{3, 100}, {5, 8}}}};
  const strided_bytes backwards{.begin = 1232, .row_bytes = 4, .axes = {{{5, -8}, {3, -100}}}};
  EXPECT_EQ(backwards.normalised(), forwards.normalised());
  EXPECT_EQ(bytes_of(backwards), bytes_of(forwards));
}

TEST(strided_bytes, rows_that_overlap_are_one_longer_row) {
  const strided_bytes shifted{.begin = 1000, .row_bytes = 40, .axes = {{{3, 1000}, {10, 8}}}};
  EXPECT_EQ(shifted.normalised(),
            (strided_bytes{.begin = 1000, .row_bytes = 112, .axes = {{{3, 1000}}}}));
  const strided_bytes twice{.begin = 1000, .row_bytes = 40, .axes = {{{3, 100}, {10, -8}}}};
  EXPECT_EQ(twice.normalised(), (strided_bytes{.begin = 928, .row_bytes = 312}));
  const strided_bytes side_by_side{.begin = 1000, .row_bytes = 40, .axes = {{{3, 40}}}};
  EXPECT_EQ(side_by_side.normalised(), side_by_side) << "so lie the rows of an array";
}

TEST(strided_bytes, a_box_without_rows_is_empty) {
  EXPECT_TRUE(
      (strided_bytes{.begin = 8, .row_bytes = 40, .axes = {{{0, 100}}}}.normalised().empty()));
}

TEST(strided_bytes, says_its_shape_and_the_places_of_its_bytes) {
  const strided_bytes box{.begin = 1000, .row_bytes = 40, .axes = {{{4, 1000}, {3, 100}}}};
  EXPECT_EQ(to_string(box), "4 x 3 rows of 40 bytes");
  EXPECT_EQ(to_string(strided_bytes::of({10, 11})), "1 byte");
  EXPECT_EQ(place_of(box, 3117).row, "(2, 1)");
  EXPECT_EQ(place_of(box, 3117).byte, 17U);
}

/// Of arrays with up to four axes over the same few bytes, whose strides may not divide one
/// another.
strided_bytes random_box(std::mt19937_64& random) {
  const auto below = [&random](std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
  };
  strided_bytes box{.begin = (1 << 20) + static_cast<std::uintptr_t>(below(60)),
                    .row_bytes = static_cast<std::size_t>(1 + below(9))};
  const std::int64_t axes = below(5);
  std::int64_t stride = 1;
  for (std::int64_t k = 0; k < axes; ++k) {
    stride = below(3) == 0 ? 1 + below(90) : stride * (1 + below(6));
    box.axes[static_cast<std::size_t>(k)] = {1 + below(4), below(4) == 0 ? -stride : stride};
  }
  return box;
}

TEST(strided_bytes, agree_with_sets_of_bytes) {
  int shared = 0;
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    std::mt19937_64 random(seed);
    const strided_bytes given = random_box(random);
    const strided_bytes a = given.normalised();
    strided_bytes b = random_box(random).normalised();
    if (seed % 2 == 0) {  // of the same array
      b.axes = a.axes;
      for (auto& axis : b.axes)
        axis.rows = axis.stride == 0 ? 1 : 1 + static_cast<std::int64_t>(random() % 3);
    }
    const auto in_a = bytes_of(a);
    const auto in_b = bytes_of(b);
    ASSERT_EQ(bytes_of(given), in_a) << "seed " << seed;
    EXPECT_EQ(*in_a.begin(), a.hull().begin);
    EXPECT_EQ(*in_a.rbegin() + 1, a.hull().end);
    if (a.contiguous()) {
      EXPECT_EQ(in_a.size(), a.hull().end - a.hull().begin);
    }
    const bool share =
        std::any_of(in_b.begin(), in_b.end(), [&](std::uintptr_t at) { return in_a.contains(at); });
    ASSERT_EQ(share_a_byte(a, b), share) << "seed " << seed;
    ASSERT_EQ(share_a_byte(b, a), share) << "seed " << seed;
    shared += share;
    if (covers(a, b)) {
      ++covered;
      ASSERT_TRUE(std::includes(in_a.begin(), in_a.end(), in_b.begin(), in_b.end()))
          << "seed " << seed;
    }
  }
  EXPECT_GT(shared, 4000);
  EXPECT_LT(shared, 16'000);
  EXPECT_GT(covered, 500);
}

}  // namespace
