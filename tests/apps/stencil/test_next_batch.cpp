// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "apps/stencil/poisson/next_batch.hpp"

namespace {

using plait::measure::next_batch;

TEST(next_batch, is_half_of_what_the_convergence_so_far_leaves_to_expect) {
  EXPECT_EQ(next_batch({.now = 0x1p-10, .enough = 0x1p-20, .done = 10, .most = 1000}), 5);
  EXPECT_EQ(next_batch({.first = 0x1p30, .now = 0x1p20, .enough = 1, .done = 20, .most = 99}), 20);
}

TEST(next_batch, is_never_nothing_nor_more_than_are_left) {
  EXPECT_EQ(next_batch({.now = 1e-8, .enough = 1e-8, .done = 10, .most = 1000}), 1);
  EXPECT_EQ(next_batch({.now = 1e-4, .enough = 1e-8, .done = 10, .most = 13}), 3);
  EXPECT_EQ(next_batch({.now = 1, .enough = 1e-8, .done = 0, .most = 3}), 3);
}

TEST(next_batch, begins_small_and_is_bounded_where_nothing_converges) {
  EXPECT_EQ(next_batch({.enough = 1e-8, .most = 1000}), 8);
  EXPECT_EQ(next_batch({.now = 2, .enough = 1e-8, .done = 10, .most = 1000}), 64);
}

TEST(next_batch, without_an_end_but_the_most_is_as_many_as_may_be_begun) {
  EXPECT_EQ(next_batch({.most = 1000}), 64);
  EXPECT_EQ(next_batch({.done = 990, .most = 1000}), 10);
}

}  // namespace
