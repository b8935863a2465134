// SPDX-License-Identifier: BSD-3-Clause
/// A rank's rows of the matrix, cut into a block for each rank whose part of x it is multiplied
/// with; and the product that must come out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/dealt_matrix.hpp"
#include "common/sparse_matrix.hpp"

namespace spmv_probe {

using plait::sparse::row_range;
using plait::sparse::sparse_matrix;

/// Division of rows, and of the elements of x and y, among ranks: as many for each, in order.
struct even_shares {
  std::int64_t size = 0;
  int ranks = 1;

  [[nodiscard]] std::int64_t first(int rank) const noexcept { return size * rank / ranks; }
  [[nodiscard]] std::int64_t count(int rank) const noexcept {
    return first(rank + 1) - first(rank);
  }
};

struct split_rows {
  std::vector<sparse_matrix> blocks;  ///< by owner of the columns, which are numbered from 0 there
  std::vector<row_range> pieces;      ///< of rows, computed together
  std::vector<double> expected;       ///< y + A x, row by row in the order of all columns
  std::int64_t nonzeros = 0;
};

/// Maker of matrices: returns rows `first` to `last`, which are the same whichever rows are asked
/// for together.
using make_rows = sparse_matrix (*)(std::int64_t size, std::int64_t per_row, std::int64_t first,
                                    std::int64_t last);

/// Makes the rows of `rank`, with whole numbers for values, some at a time: no rank ever holds more
/// than its own.  A piece of rows has about `piece` nonzeros in each block.
[[nodiscard]] split_rows make_split_rows(make_rows rows, const even_shares& shares, int rank,
                                         std::int64_t per_row, std::int64_t piece);

/// Element i of x, and of y before the product: small whole numbers, none 0.
[[nodiscard]] double source_value(std::int64_t i) noexcept;
[[nodiscard]] double destination_value(std::int64_t i) noexcept;

/// Returns what differs from the expected product, in a line; empty where nothing does.
[[nodiscard]] std::string complaint_of(const split_rows& a, const even_shares& shares, int rank,
                                       const std::vector<double>& y);

}  // namespace spmv_probe
