// SPDX-License-Identifier: BSD-3-Clause
/// A sparse matrix by rows, and how one is put together from entries in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plait::sparse {

/// Rows and columns are numbered by 32 bits in memory, as kernels want it.
inline constexpr std::int64_t most_rows = INT32_MAX;

struct entry {
  std::int32_t row = 0;
  std::int32_t column = 0;
  double value = 0;
};

/// Compressed sparse rows.  The columns of a row ascend, and none is there twice.
struct sparse_matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> row_begin{0};  ///< of each row, and the end of the last
  std::vector<std::int32_t> column = {};
  std::vector<double> value = {};

  [[nodiscard]] std::int64_t nonzeros() const noexcept { return row_begin.back(); }
  [[nodiscard]] std::int64_t nonzeros(std::int64_t row) const {
    const auto i = static_cast<std::size_t>(row);
    return row_begin[i + 1] - row_begin[i];
  }
  [[nodiscard]] std::span<const std::int32_t> columns_of(std::int64_t row) const {
    return std::span(column).subspan(first(row), static_cast<std::size_t>(nonzeros(row)));
  }
  [[nodiscard]] std::span<const double> values_of(std::int64_t row) const {
    return std::span(value).subspan(first(row), static_cast<std::size_t>(nonzeros(row)));
  }

 private:
  [[nodiscard]] std::size_t first(std::int64_t row) const {
    return static_cast<std::size_t>(row_begin[static_cast<std::size_t>(row)]);
  }
};

/// Puts entries into rows.  Entries of one place are added in the order in which they are given.
/// Preconditions: 0 <= rows, columns <= most_rows; every entry lies inside.
[[nodiscard]] sparse_matrix assemble(std::int64_t rows, std::int64_t columns,
                                     std::span<const entry> entries);

/// Returns whether the matrix equals its transpose, to the bit.
[[nodiscard]] bool is_symmetric(const sparse_matrix& a);

/// y = A x, row by row in the order of columns.  The reference of all variants.
[[nodiscard]] std::vector<double> product(const sparse_matrix& a, std::span<const double> x);

}  // namespace plait::sparse
