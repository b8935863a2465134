// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/fair_share.hpp>

namespace {

using plait::fair_share;
using plait::processes_a_unit;

std::vector<int> units(int first, int count) {
  std::vector<int> list;
  for (int i = 0; i < count; ++i) list.push_back(first + i);
  return list;
}

TEST(fair_share, a_process_alone_has_all_its_units) {
  EXPECT_EQ(fair_share({units(0, 8)}, 0), 8);
}

TEST(fair_share, units_that_all_may_use_are_divided_equally) {
  EXPECT_EQ(fair_share({units(0, 8), units(0, 8)}, 0), 4);
  EXPECT_EQ(fair_share({units(0, 8), units(0, 8)}, 1), 4);
  EXPECT_EQ(fair_share({units(0, 9), units(0, 9), units(0, 9)}, 2), 3) << "no rounding error";
}

TEST(fair_share, bound_processes_have_their_own) {
  EXPECT_EQ(fair_share({units(0, 2), units(2, 6)}, 0), 2);
  EXPECT_EQ(fair_share({units(0, 2), units(2, 6)}, 1), 6);
}

TEST(fair_share, masks_that_overlap_in_part_share_that_part) {
  // 0..3 and 2..5: two units each alone, two shared.
  EXPECT_EQ(fair_share({units(0, 4), units(2, 4)}, 0), 3);
  EXPECT_EQ(fair_share({units(0, 4), units(2, 4)}, 1), 3);
}

TEST(fair_share, it_is_rounded_down_but_never_below_one) {
  EXPECT_EQ(fair_share({units(0, 5), units(0, 5)}, 0), 2);
  EXPECT_EQ(fair_share(std::vector(4, units(0, 2)), 3), 1);
}

TEST(fair_share, the_shares_never_exceed_the_units) {
  for (int processes = 1; processes <= 7; ++processes) {
    for (int count = processes; count <= 16; ++count) {
      const std::vector all(static_cast<std::size_t>(processes), units(0, count));
      int sum = 0;
      for (int p = 0; p < processes; ++p) sum += fair_share(all, p);
      EXPECT_LE(sum, count);
      EXPECT_EQ(sum, count / processes * processes);
    }
  }
}

TEST(processes_a_unit, is_one_where_each_has_units_of_its_own) {
  EXPECT_EQ(processes_a_unit({units(0, 8)}, 0), 1);
  EXPECT_EQ(processes_a_unit({units(0, 9), units(0, 9), units(0, 9)}, 2), 1) << "no rounding error";
  EXPECT_EQ(processes_a_unit({units(0, 2), units(2, 6)}, 1), 1);
}

TEST(processes_a_unit, counts_those_that_share_rounded_up) {
  EXPECT_EQ(processes_a_unit(std::vector(64, units(0, 2)), 5), 32);
  EXPECT_EQ(processes_a_unit(std::vector(49, units(0, 1)), 0), 49) << "no rounding error";
  EXPECT_EQ(processes_a_unit(std::vector(3, units(0, 2)), 0), 2);
  EXPECT_EQ(processes_a_unit({units(0, 1), units(0, 1), units(1, 1)}, 2), 1) << "bound beside them";
}

TEST(fair_share_death, a_process_that_is_none_of_them_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH((void)fair_share({units(0, 2)}, 1), "self: 1");
}

}  // namespace
