// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <plait/plait.hpp>

#include "common/dealing.hpp"
#include "common/dealt_matrix.hpp"
#include "common/generated.hpp"
#include "common/kernel.hpp"
#include "support/mpi_test.hpp"

namespace {

using plait::sparse::dealing;
using plait::sparse::dealt_matrix;
using plait::sparse::entry;
using plait::sparse::piece;
using plait::sparse::sparse_matrix;

double element(std::int64_t i) {
  return static_cast<double>((i * 37 + 5) % 23 - 11);
}

/// A rectangle with a dense row, a dense column, empty rows and empty columns.
sparse_matrix rectangle() {
  std::vector<entry> entries;
  for (int k = 0; k < 40; k += 2) entries.push_back({3, k, 1.0 + k});
  for (int k = 0; k < 26; k += 3) entries.push_back({k, 7, 2.0 - k});
  return plait::sparse::assemble(26, 41, entries);
}

std::vector<sparse_matrix> matrices() {
  return {plait::sparse::stencil_27({6, 5, 4}),        plait::sparse::uniform_rows(60, 9, 0, 60),
          plait::sparse::power_law_rows(90, 4, 0, 90), plait::sparse::uniform_rows(3, 2, 0, 3),
          plait::sparse::assemble(5, 5, {}),           rectangle()};
}

dealt_matrix dealt(plait::environment& env, const sparse_matrix& a, dealing how) {
  const auto rows = plait::sparse::deal_rows(a, how, env.size());
  return plait::sparse::deal_out(env, a, rows, plait::sparse::deal_columns(a, rows, env.size()));
}

template <class Check>
void for_all(Check&& check) {
  plait::environment& env = plait::test::test_environment();
  for (const sparse_matrix& whole : matrices())
    for (const dealing how : {dealing::even, dealing::nonzeros, dealing::metis}) {
      if (how == dealing::metis && whole.rows != whole.columns) continue;
      check(whole, dealt(env, whole, how));
    }
}

/// This rank's elements of x, and those of others, as they would arrive.
struct elements {
  std::vector<double> own;
  std::vector<double> ghosts;
};

elements elements_of(const dealt_matrix& a) {
  // Old numbers of all elements, by their new ones.
  const auto got = plait::test::test_environment().exchange(std::vector<std::vector<std::int64_t>>(
      static_cast<std::size_t>(plait::test::test_environment().size()), a.original_columns));
  std::vector<std::int64_t> old;
  for (const auto& part : got) old.insert(old.end(), part.begin(), part.end());
  elements x;
  for (const std::int64_t i : a.original_columns) x.own.push_back(element(i));
  for (const std::int64_t i : a.ghosts)
    x.ghosts.push_back(element(old[static_cast<std::size_t>(i)]));
  return x;
}

TEST(dealt_matrix, multiplies_as_the_whole_matrix_does) {
  for_all([](const sparse_matrix& whole, const dealt_matrix& a) {
    std::vector<double> x(static_cast<std::size_t>(whole.columns));
    for (std::int64_t i = 0; i < whole.columns; ++i) x[static_cast<std::size_t>(i)] = element(i);
    const std::vector<double> expected = plait::sparse::product(whole, x);
    const elements part = elements_of(a);
    std::vector<double> y(a.original_rows.size(), 99);
    plait::sparse::multiply(a, {0, a.own_rows()}, part.own.data(), part.ghosts.data(), y.data());
    for (std::size_t row = 0; row < y.size(); ++row)
      EXPECT_NEAR(y[row], expected[static_cast<std::size_t>(a.original_rows[row])], 1e-10)
          << "rank " << a.rank << ", row " << a.original_rows[row];
  });
}

TEST(dealt_matrix, gives_the_same_bits_in_one_pass_and_in_two) {
  for_all([](const sparse_matrix&, const dealt_matrix& a) {
    const elements part = elements_of(a);
    std::vector<double> once(a.original_rows.size());
    std::vector<double> twice(a.original_rows.size());
    plait::sparse::multiply(a, {0, a.own_rows()}, part.own.data(), part.ghosts.data(), once.data());
    for (const piece& one : plait::sparse::cut_rows(a, 20)) {
      plait::sparse::multiply_own(a, one.rows, part.own.data(), twice.data());
      if (!one.needs.empty()) plait::sparse::add_far(a, one.rows, part.ghosts.data(), twice.data());
    }
    EXPECT_EQ(std::memcmp(once.data(), twice.data(), 8 * once.size()), 0) << "rank " << a.rank;
  });
}

TEST(dealt_matrix, has_each_row_and_each_element_once) {
  for_all([](const sparse_matrix& whole, const dealt_matrix& a) {
    const auto once = [&](const std::vector<std::int64_t>& numbers, std::int64_t size) {
      std::vector<int> times(static_cast<std::size_t>(size));
      const auto got =
          plait::test::test_environment().exchange(std::vector<std::vector<std::int64_t>>(
              static_cast<std::size_t>(plait::test::test_environment().size()), numbers));
      for (const auto& part : got)
        for (const std::int64_t i : part) ++times[static_cast<std::size_t>(i)];
      EXPECT_EQ(times, std::vector<int>(static_cast<std::size_t>(size), 1));
    };
    once(a.original_rows, whole.rows);
    once(a.original_columns, whole.columns);
  });
}

TEST(dealt_matrix, is_cut_into_pieces_that_name_the_owners_they_need) {
  for_all([](const sparse_matrix&, const dealt_matrix& a) {
    for (const std::int64_t size : {1, 30, 1000000}) {
      std::int64_t next = 0;
      for (const piece& one : plait::sparse::cut_rows(a, size)) {
        EXPECT_EQ(one.rows.first, next);
        EXPECT_GT(one.rows.size(), 0);
        next = one.rows.last;
        for (std::int64_t row = one.rows.first; row < one.rows.last; ++row) {
          EXPECT_EQ(a.far.nonzeros(row) == 0, one.needs.empty()) << "row " << row;
          for (const std::int32_t ghost : a.far.columns_of(row)) {
            const bool named = std::ranges::any_of(one.needs, [&](std::size_t range) {
              return a.ghost_ranges[range].first <= ghost && ghost < a.ghost_ranges[range].last;
            });
            EXPECT_TRUE(named) << "row " << row << ", ghost " << ghost;
          }
        }
      }
      EXPECT_EQ(next, a.own_rows());
    }
  });
}

}  // namespace
