// SPDX-License-Identifier: BSD-3-Clause
/// The processes as a grid of rows and columns, and the communicators of a row and of a column.
#pragma once

#include <cstdint>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "measure/base/grid_shape.hpp"

namespace plait::dense {

/// Order of the ranks in the mesh.  netlib's HPL calls this PMAP.
enum class rank_order : std::uint8_t { row_major, column_major };

/// P rows by Q columns of processes; this one sits in row p and column q.
class mesh {
 public:
  /// Makes the communicators.  Collective.  Precondition: rows x columns is the number of ranks.
  mesh(environment& env, int rows, int columns, rank_order order = rank_order::row_major);
  ~mesh();
  mesh(const mesh&) = delete;
  mesh& operator=(const mesh&) = delete;

  [[nodiscard]] int rows() const noexcept { return rows_; }
  [[nodiscard]] int columns() const noexcept { return columns_; }
  [[nodiscard]] int p() const noexcept { return p_; }
  [[nodiscard]] int q() const noexcept { return q_; }
  /// Returns the rank in row p and column q.
  [[nodiscard]] int rank_at(int p, int q) const noexcept {
    return order_ == rank_order::row_major ? p * columns_ + q : q * rows_ + p;
  }

  /// The processes of this row, numbered by column; those of this column, numbered by row.  For
  /// plain MPI, and for tasks.
  [[nodiscard]] MPI_Comm mpi_row() const noexcept { return mpi_row_; }
  [[nodiscard]] MPI_Comm mpi_column() const noexcept { return mpi_column_; }
  [[nodiscard]] const communicator& row() const noexcept { return row_; }
  [[nodiscard]] const communicator& column() const noexcept { return column_; }
  [[nodiscard]] environment& env() const noexcept { return env_; }

 private:
  environment& env_;
  int rows_;
  int columns_;
  rank_order order_;
  int p_ = 0;
  int q_ = 0;
  MPI_Comm mpi_row_ = MPI_COMM_NULL;
  MPI_Comm mpi_column_ = MPI_COMM_NULL;
  communicator row_;
  communicator column_;
};

using measure::grid_shape, measure::parse_grid_shape;

}  // namespace plait::dense
