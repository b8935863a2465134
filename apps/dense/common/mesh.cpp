// SPDX-License-Identifier: BSD-3-Clause
#include "common/mesh.hpp"

#include <fmt/format.h>

#include "measure/base/mpi_check.hpp"

namespace plait::dense {

using measure::check_mpi;

mesh::mesh(environment& env, int rows, int columns, rank_order order)
    : env_(env), rows_(rows), columns_(columns), order_(order) {
  PLAIT_EXPECTS(rows * columns == env.size(),
                fmt::format("{}x{} of {} ranks", rows, columns, env.size()));
  const bool by_row = order == rank_order::row_major;
  p_ = by_row ? env.rank() / columns : env.rank() % rows;
  q_ = by_row ? env.rank() % columns : env.rank() / rows;
  check_mpi(MPI_Comm_split(native(env), p_, q_, &mpi_row_), "MPI_Comm_split");
  check_mpi(MPI_Comm_split(native(env), q_, p_, &mpi_column_), "MPI_Comm_split");
  row_ = env.world().split("process row", p_, q_);
  column_ = env.world().split("process column", q_, p_);
}

mesh::~mesh() {
  MPI_Comm_free(&mpi_row_);
  MPI_Comm_free(&mpi_column_);
}

}  // namespace plait::dense
