// SPDX-License-Identifier: BSD-3-Clause
#include "split_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace spmv_probe {
namespace {

/// A whole number from -8 to 8, not 0, in place of a value in [-1, 1).
double whole(double value) noexcept {
  const double below = std::floor(8 * value);
  return below < 0 ? below : below + 1;
}

/// Adds rows whose columns are of the whole matrix.
void append(split_rows& to, const even_shares& shares, const sparse_matrix& rows,
            std::int64_t first_row) {
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const auto columns = rows.columns_of(row);
    const auto values = rows.values_of(row);
    double y = destination_value(first_row + row);
    std::size_t k = 0;
    for (int owner = 0; owner < shares.ranks; ++owner) {
      sparse_matrix& block = to.blocks[static_cast<std::size_t>(owner)];
      for (; k < columns.size() && columns[k] < shares.first(owner + 1); ++k) {
        block.column.push_back(columns[k] - static_cast<std::int32_t>(shares.first(owner)));
        block.value.push_back(whole(values[k]));
        y += block.value.back() * source_value(columns[k]);
      }
      block.row_begin.push_back(static_cast<std::int64_t>(block.column.size()));
      ++block.rows;
    }
    to.expected.push_back(y);
    to.nonzeros += static_cast<std::int64_t>(columns.size());
  }
}

/// Cuts all rows where their blocks have `piece` nonzeros on average, rows counting one each.
std::vector<row_range> cut(const split_rows& a, std::int64_t piece) {
  std::vector<row_range> pieces;
  const std::int64_t rows = a.blocks.front().rows;
  const auto blocks = static_cast<std::int64_t>(a.blocks.size());
  std::int64_t first = 0;
  std::int64_t weight = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const sparse_matrix& block : a.blocks) weight += block.nonzeros(row) + 1;
    if (weight < piece * blocks && row + 1 < rows) continue;
    pieces.push_back({first, row + 1});
    first = row + 1;
    weight = 0;
  }
  return pieces;
}

}  // namespace

double source_value(std::int64_t i) noexcept {
  const std::int64_t k = (i * 7919 + 13) % 16;
  return static_cast<double>(k < 8 ? k - 8 : k - 7);
}

double destination_value(std::int64_t i) noexcept {
  return static_cast<double>(i * 31 % 11 + 1);
}

split_rows make_split_rows(make_rows rows, const even_shares& shares, int rank,
                           std::int64_t per_row, std::int64_t piece) {
  split_rows a;
  a.blocks.resize(static_cast<std::size_t>(shares.ranks));
  for (int owner = 0; owner < shares.ranks; ++owner)
    a.blocks[static_cast<std::size_t>(owner)].columns = shares.count(owner);
  constexpr std::int64_t at_once = 8192;
  const std::int64_t last = shares.first(rank + 1);
  for (std::int64_t from = shares.first(rank); from < last; from += at_once) {
    const std::int64_t to = std::min(from + at_once, last);
    append(a, shares, rows(shares.size, per_row, from, to), from);
  }
  a.pieces = cut(a, piece);
  return a;
}

std::string complaint_of(const split_rows& a, const even_shares& shares, int rank,
                         const std::vector<double>& y) {
  for (std::size_t row = 0; row < y.size(); ++row)
    if (std::bit_cast<std::uint64_t>(y[row]) != std::bit_cast<std::uint64_t>(a.expected[row]))
      return fmt::format("rank {}: row {} of the product is {}, expected {}", rank,
                         shares.first(rank) + static_cast<std::int64_t>(row), y[row],
                         a.expected[row]);
  return {};
}

}  // namespace spmv_probe
