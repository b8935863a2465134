// SPDX-License-Identifier: BSD-3-Clause
/// A dealt matrix and its transpose, dealt on the same grid: which of a process's entries go where.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/mesh.hpp"
#include "product.hpp"

namespace summa {

/// Holds what one process does of a transposition.  Peers are ranks of the grid.  Where rank r is
/// the process itself, entries are copied by the same calls.
class transposition {
 public:
  transposition(const dealt_matrix& from, const dealt_matrix& to, const plait::dense::mesh& grid);

  /// Entries that go to a rank, and come from it.
  [[nodiscard]] std::int64_t entries_to(int rank) const;
  [[nodiscard]] std::int64_t entries_from(int rank) const;

  /// Copies what goes to `rank` out of this process's part of the matrix; and puts what has come
  /// from `rank` into its part of the transpose.
  void pack(int rank, std::span<const double> part, std::span<double> message) const;
  void unpack(int rank, std::span<const double> message, std::span<double> part) const;

 private:
  /// Local rows and columns, side by side.
  struct cells {
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> columns;
    [[nodiscard]] std::int64_t size() const { return std::ssize(rows) * std::ssize(columns); }
  };
  std::vector<cells> to_;    ///< of the matrix, by rank
  std::vector<cells> from_;  ///< of the transpose, by rank
  std::int64_t rows_;        ///< of this process's part of the matrix
  std::int64_t transposed_rows_;
};

}  // namespace summa
