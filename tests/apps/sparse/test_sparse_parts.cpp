// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>

#include "common/dealing.hpp"
#include "common/generated.hpp"
#include "common/sparse_matrix.hpp"

namespace {

using plait::sparse::burden;
using plait::sparse::dealing;
using plait::sparse::entry;
using plait::sparse::sparse_matrix;

TEST(sparse_matrix, is_put_together_from_entries_in_any_order) {
  const std::vector<entry> entries{{2, 1, 1}, {0, 3, 2}, {0, 0, 3}, {2, 1, 4}, {2, 0, 5}};
  const sparse_matrix a = plait::sparse::assemble(4, 4, entries);
  EXPECT_EQ(a.row_begin, (std::vector<std::int64_t>{0, 2, 2, 4, 4}));
  EXPECT_EQ(a.column, (std::vector<std::int32_t>{0, 3, 0, 1}));
  EXPECT_EQ(a.value, (std::vector<double>{3, 2, 5, 5}));
  EXPECT_EQ(plait::sparse::product(a, std::vector<double>{1, 10, 100, 1000}),
            (std::vector<double>{2003, 0, 55, 0}));
}

TEST(sparse_matrix, knows_whether_it_is_symmetric) {
  const auto symmetric = [](const std::vector<entry>& entries) {
    return plait::sparse::is_symmetric(plait::sparse::assemble(3, 3, entries));
  };
  EXPECT_TRUE(symmetric({}));
  EXPECT_TRUE(symmetric({{0, 0, 1}, {0, 2, 5}, {2, 0, 5}}));
  EXPECT_FALSE(symmetric({{0, 2, 5}, {2, 0, 6}}));
  EXPECT_FALSE(symmetric({{0, 2, 5}}));
  EXPECT_FALSE(symmetric({{2, 0, 5}}));
  EXPECT_FALSE(plait::sparse::is_symmetric(plait::sparse::assemble(2, 3, {})));
}

TEST(generated, stencils_have_27_points_and_constant_rows_inside) {
  const sparse_matrix a = plait::sparse::stencil_27({5, 4, 3});
  EXPECT_EQ(a.rows, 60);
  EXPECT_EQ(a.nonzeros(), (3 * 5 - 2) * (3 * 4 - 2) * (3 * 3 - 2));
  EXPECT_TRUE(plait::sparse::is_symmetric(a));
  const std::vector<double> sums = plait::sparse::product(a, std::vector<double>(60, 1));
  EXPECT_EQ(sums[(1 * 4 + 1) * 5 + 1], 0) << "26 neighbours";
  EXPECT_EQ(sums[0], 19) << "7 neighbours";
}

TEST(generated, uniform_rows_are_the_same_however_they_are_asked_for) {
  const sparse_matrix whole = plait::sparse::uniform_rows(50, 7, 0, 50);
  const sparse_matrix part = plait::sparse::uniform_rows(50, 7, 20, 31);
  for (std::int64_t row = 0; row < 50; ++row) {
    EXPECT_EQ(whole.nonzeros(row), 7);
    const auto columns = whole.columns_of(row);
    EXPECT_EQ(std::set<int>(columns.begin(), columns.end()).size(), 7U);
    if (row < 20 || row >= 31) continue;
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_EQ(part.columns_of(row - 20)[k], columns[k]);
      EXPECT_EQ(part.values_of(row - 20)[k], whole.values_of(row)[k]);
    }
  }
  EXPECT_EQ(plait::sparse::uniform_rows(4, 4, 0, 4).nonzeros(), 16) << "full";
}

TEST(generated, uniform_rows_name_nearly_every_column) {
  // Of 16 draws a row, e^-16 of the columns are named by none; streams that repeat leave many out.
  const sparse_matrix a = plait::sparse::uniform_rows(5000, 16, 0, 5000);
  EXPECT_GT(std::set<int>(a.column.begin(), a.column.end()).size(), 4990U);
  const sparse_matrix half = plait::sparse::uniform_rows(5000, 16, 0, 2500);
  EXPECT_GT(std::set<int>(half.column.begin(), half.column.end()).size(), 4980U);
  std::set<int> of_few;
  const sparse_matrix few = plait::sparse::uniform_rows(5000, 16, 0, 100);
  of_few.insert(few.column.begin(), few.column.end());
  EXPECT_GT(of_few.size(), 1200U) << "1600 draws, which name 1370 of 5000";
}

TEST(generated, power_laws_have_dense_columns_and_empty_ones) {
  const sparse_matrix a = plait::sparse::power_law_rows(2000, 8, 0, 2000);
  std::vector<int> in_column(2000);
  std::int64_t longest = 0;
  for (std::int64_t row = 0; row < a.rows; ++row) longest = std::max(longest, a.nonzeros(row));
  for (const std::int32_t column : a.column) ++in_column[static_cast<std::size_t>(column)];
  EXPECT_GT(longest, 100);
  EXPECT_GT(*std::ranges::max_element(in_column), 100);
  EXPECT_GT(std::ranges::count(in_column, 0), 0);
  EXPECT_NEAR(static_cast<double>(a.nonzeros()) / 2000, 8, 3);
}

burden burden_of(const sparse_matrix& a, dealing how, int ranks) {
  const auto rows = plait::sparse::deal_rows(a, how, ranks);
  return plait::sparse::burden_of(a, rows, plait::sparse::deal_columns(a, rows, ranks), ranks);
}

TEST(dealing, gives_every_row_to_one_rank) {
  for (const dealing how : {dealing::even, dealing::nonzeros, dealing::metis})
    for (const int ranks : {1, 2, 5, 7, 40}) {
      const sparse_matrix a = plait::sparse::power_law_rows(33, 3, 0, 33);
      const burden of = burden_of(a, how, ranks);
      EXPECT_EQ(std::accumulate(of.rows.begin(), of.rows.end(), 0), 33);
      EXPECT_EQ(std::accumulate(of.nonzeros.begin(), of.nonzeros.end(), 0), a.nonzeros());
      for (int rank = 0; rank < ranks; ++rank)
        EXPECT_EQ(of.sent[static_cast<std::size_t>(rank * ranks + rank)], 0) << "to itself";
    }
}

TEST(dealing, balances_what_it_is_named_after) {
  const sparse_matrix a = plait::sparse::power_law_rows(3000, 6, 0, 3000);
  const auto most = [&](const std::vector<std::int64_t>& of) {
    return *std::ranges::max_element(of);
  };
  EXPECT_LE(most(burden_of(a, dealing::even, 7).rows), 3000 / 7 + 1);
  EXPECT_LT(static_cast<double>(most(burden_of(a, dealing::nonzeros, 7).nonzeros)),
            1.3 * static_cast<double>(a.nonzeros()) / 7);
}

TEST(dealing, by_a_partition_sends_less_where_the_order_of_rows_says_nothing) {
  // A grid whose points have been shuffled.
  const sparse_matrix grid = plait::sparse::stencil_27({12, 12, 12});
  std::vector<entry> shuffled;
  const auto place = [&](std::int64_t i) {
    return static_cast<std::int32_t>(i * 1001 % grid.rows);
  };
  for (std::int64_t row = 0; row < grid.rows; ++row)
    for (std::size_t k = 0; k < grid.columns_of(row).size(); ++k)
      shuffled.push_back({place(row), place(grid.columns_of(row)[k]), grid.values_of(row)[k]});
  const sparse_matrix a = plait::sparse::assemble(grid.rows, grid.rows, shuffled);
  const auto sent = [&](dealing how) {
    const burden of = burden_of(a, how, 4);
    return std::accumulate(of.sent.begin(), of.sent.end(), std::int64_t{0});
  };
  EXPECT_LT(2 * sent(dealing::metis), sent(dealing::even));
}

TEST(dealing, counts_each_element_once_for_a_rank) {
  // Rank 1's rows both need element 0; rank 0's need element 3.
  const std::vector<entry> entries{{0, 3, 1}, {1, 1, 1}, {2, 0, 1}, {3, 0, 1}};
  const sparse_matrix a = plait::sparse::assemble(4, 4, entries);
  EXPECT_EQ(burden_of(a, dealing::even, 2).sent, (std::vector<std::int64_t>{0, 1, 1, 0}));
}

TEST(dealing, by_a_partition_wants_a_square_matrix) {
  const sparse_matrix a = plait::sparse::assemble(2, 3, {});
  EXPECT_THROW((void)plait::sparse::deal_rows(a, dealing::metis, 2), plait::usage_error);
}

}  // namespace
