// SPDX-License-Identifier: BSD-3-Clause
#include "common/mesh.hpp"

#include <charconv>

#include <fmt/format.h>

#include "measure/mpi_check.hpp"

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

grid_shape parse_grid_shape(const std::string& option, const std::string& text) {
  grid_shape shape;
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, shape.rows);
  const bool has_rows = rows.ec == std::errc{} && rows.ptr != end && *rows.ptr == 'x';
  const auto columns =
      has_rows ? std::from_chars(rows.ptr + 1, end, shape.columns) : std::from_chars_result{};
  if (!has_rows || columns.ec != std::errc{} || columns.ptr != end || shape.rows < 0 ||
      shape.columns < 0)
    throw usage_error(
        fmt::format("{} is '{}'; it must be rows x columns of processes, such as 2x3 (0 = choose)",
                    option, text));
  return shape;
}

}  // namespace plait::dense
