// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "measure/rows/cut_work.hpp"

namespace {

using plait::measure::cut_work;
using plait::measure::pieces_for;

TEST(cut_work, pieces_add_up_to_the_work) {
  for (const long units : {0L, 1L, 7L, 1000L, 123457L}) {
    for (const int pieces : {1, 2, 7, 16}) {
      long sum = 0;
      for (int i = 0; i < pieces; ++i) {
        const long own = plait::measure::units_of_piece(units, pieces, i);
        EXPECT_GE(own, units / pieces);
        EXPECT_LE(own, units / pieces + 1);
        sum += own;
      }
      EXPECT_EQ(sum, units);
    }
  }
}

TEST(cut_work, has_as_many_pieces_as_wanted_unless_they_would_be_short) {
  EXPECT_EQ(pieces_for(1.0, 16), 16);
  EXPECT_EQ(pieces_for(0, 16), 1);
  EXPECT_EQ(pieces_for(1.1e-6, 16), 1);
  EXPECT_EQ(pieces_for(41e-6, 16), 8);
}

TEST(cut_work, does_something_after_each_piece_and_clocks_what_it_does) {
  cut_work work(100000, 5);
  int between = 0;
  work.run([&] { ++between; });
  EXPECT_EQ(between, 5);
  EXPECT_GT(work.take_seconds(), 0);
  EXPECT_EQ(work.take_seconds(), 0);
}

TEST(cut_work, of_no_units_has_no_pieces) {
  cut_work none(0, 5);
  int between = 0;
  none.run([&] { ++between; });
  EXPECT_EQ(between, 0);
}

}  // namespace
