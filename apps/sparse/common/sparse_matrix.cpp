// SPDX-License-Identifier: BSD-3-Clause
#include "sparse_matrix.hpp"

#include <algorithm>
#include <numeric>

#include <plait/plait.hpp>

namespace plait::sparse {
namespace {

/// Returns the index of the first entry of each row, and the number of entries, if rows lie one
/// after another.
std::vector<std::int64_t> count_rows(std::int64_t rows, std::span<const entry> entries) {
  std::vector<std::int64_t> begin(static_cast<std::size_t>(rows) + 1, 0);
  for (const entry& one : entries) ++begin[static_cast<std::size_t>(one.row) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  return begin;
}

/// Sorts one row by column, and adds what shares a place.  Returns how many places are left.
std::size_t settle_row(std::span<std::int32_t> columns, std::span<double> values,
                       std::vector<entry>& scratch) {
  if (std::ranges::adjacent_find(columns, std::greater_equal<>()) == columns.end())
    return columns.size();
  scratch.clear();
  for (std::size_t k = 0; k < columns.size(); ++k) scratch.push_back({0, columns[k], values[k]});
  std::ranges::stable_sort(scratch, {}, &entry::column);
  std::size_t kept = 0;
  for (const entry& one : scratch) {
    if (kept > 0 && columns[kept - 1] == one.column) {
      values[kept - 1] += one.value;
    } else {
      columns[kept] = one.column;
      values[kept++] = one.value;
    }
  }
  return kept;
}

}  // namespace

sparse_matrix assemble(std::int64_t rows, std::int64_t columns, std::span<const entry> entries) {
  PLAIT_EXPECTS(rows >= 0 && rows <= most_rows && columns >= 0 && columns <= most_rows,
                std::to_string(rows) + " x " + std::to_string(columns));
  sparse_matrix a;
  a.rows = rows;
  a.columns = columns;
  const std::vector<std::int64_t> begin = count_rows(rows, entries);
  a.column.resize(entries.size());
  a.value.resize(entries.size());
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
  for (const entry& one : entries) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(one.row)]++);
    a.column[at] = one.column;
    a.value[at] = one.value;
  }
  a.row_begin.assign(begin.size(), 0);
  std::vector<entry> scratch;
  std::size_t kept = 0;
  for (std::size_t row = 0; row + 1 < begin.size(); ++row) {
    const auto first = static_cast<std::size_t>(begin[row]);
    const auto size = static_cast<std::size_t>(begin[row + 1]) - first;
    const std::size_t places = settle_row(std::span(a.column).subspan(first, size),
                                          std::span(a.value).subspan(first, size), scratch);
    if (kept != first) {
      std::copy_n(a.column.begin() + static_cast<std::ptrdiff_t>(first), places,
                  a.column.begin() + static_cast<std::ptrdiff_t>(kept));
      std::copy_n(a.value.begin() + static_cast<std::ptrdiff_t>(first), places,
                  a.value.begin() + static_cast<std::ptrdiff_t>(kept));
    }
    kept += places;
    a.row_begin[row + 1] = static_cast<std::int64_t>(kept);
  }
  a.column.resize(kept);
  a.value.resize(kept);
  return a;
}

bool is_symmetric(const sparse_matrix& a) {
  if (a.rows != a.columns) return false;
  // Rows are visited in order, so the entries of each column come in the order of its row.
  std::vector<std::int64_t> next(a.row_begin.begin(), a.row_begin.end() - 1);
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const auto columns = a.columns_of(row);
    const auto values = a.values_of(row);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto mirror = static_cast<std::size_t>(columns[k]);
      const auto at = static_cast<std::size_t>(next[mirror]);
      if (next[mirror] == a.row_begin[mirror + 1] || a.column[at] != row ||
          a.value[at] != values[k])
        return false;
      ++next[mirror];
    }
  }
  return true;
}

std::vector<double> product(const sparse_matrix& a, std::span<const double> x) {
  PLAIT_EXPECTS(static_cast<std::int64_t>(x.size()) == a.columns, std::to_string(x.size()));
  std::vector<double> y(static_cast<std::size_t>(a.rows));
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const auto columns = a.columns_of(row);
    const auto values = a.values_of(row);
    double sum = 0;
    for (std::size_t k = 0; k < columns.size(); ++k)
      sum += values[k] * x[static_cast<std::size_t>(columns[k])];
    y[static_cast<std::size_t>(row)] = sum;
  }
  return y;
}

}  // namespace plait::sparse
