// SPDX-License-Identifier: BSD-3-Clause
/// A rank's rows of a matrix, split into what its own elements of x are multiplied with and what
/// needs those of others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/plait.hpp>

#include "sparse_matrix.hpp"

namespace plait::sparse {

/// Some rows, [first, last) of a rank's.
struct row_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  [[nodiscard]] std::int64_t size() const noexcept { return last - first; }
};

/// A run of ghosts that one rank owns.
struct ghost_range {
  int owner = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Rows and elements of x are numbered anew, so that those of a rank follow each other.  The rows
/// of a rank are sorted by the set of ranks whose elements they need: first those that need none,
/// then those of one set together.  x is numbered as the rows are where the matrix is square.
struct dealt_matrix {
  std::int64_t rows = 0;  ///< of all ranks
  std::int64_t columns = 0;
  std::vector<std::int64_t> first_columns;  ///< of x, by rank, and the end of the last
  int rank = 0;
  std::vector<std::int64_t> original_rows;     ///< of this rank's rows
  std::vector<std::int64_t> original_columns;  ///< of this rank's part of x
  sparse_matrix own;                      ///< this rank's rows; columns from first_columns[rank] on
  sparse_matrix far;                      ///< the same rows; columns number ghosts
  std::vector<std::int64_t> ghosts;       ///< the elements of x that are needed, ascending
  std::vector<ghost_range> ghost_ranges;  ///< by owner, ascending

  [[nodiscard]] std::int64_t own_rows() const noexcept { return own.rows; }
  [[nodiscard]] std::int64_t own_columns() const {
    return first_columns[static_cast<std::size_t>(rank) + 1] - first_column();
  }
  [[nodiscard]] std::int64_t first_column() const {
    return first_columns[static_cast<std::size_t>(rank)];
  }
  /// Returns the owners of the elements of x.
  [[nodiscard]] decomposition<1> owners() const;
};

/// Deals the rows of rank 0's matrix; elsewhere `whole` and the ranks of rows and columns are not
/// used.  Collective.  Errors: `error` where a rank would get 2^31 numbers or more.
[[nodiscard]] dealt_matrix deal_out(environment& env, const sparse_matrix& whole,
                                    std::span<const std::int32_t> row_ranks,
                                    std::span<const std::int32_t> column_ranks);

/// Rows that are computed together, and whose ghosts they need.
struct piece {
  row_range rows;
  std::vector<std::size_t> needs;  ///< numbers of ghost ranges, ascending
};

/// Cuts a rank's rows into pieces of about `nonzeros`, rows counting one each.  A piece needs
/// ghosts in all its rows or in none.  Where it would become long anyway it ends with its set of
/// owners.
[[nodiscard]] std::vector<piece> cut_rows(const dealt_matrix& a, std::int64_t nonzeros);

}  // namespace plait::sparse
