// SPDX-License-Identifier: BSD-3-Clause
#include "row_exchange.hpp"

#include <span>

#include "measure/base/mpi_check.hpp"

namespace hpl {
namespace {

using plait::measure::check_mpi;

// Each number is one process's, and zero bits elsewhere: `or` keeps its bits, those of -0 too.
void combine_in_pairs(std::span<double> rows, MPI_Comm column) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, rows.data(), static_cast<int>(rows.size()), MPI_UINT64_T,
                          MPI_BOR, column),
            "MPI_Allreduce");
}

void combine_and_roll(std::span<double> rows, int p, int processes, MPI_Comm column) {
  std::vector<int> counts, places;
  int first = 0;
  for (int i = 0; i < processes; ++i) {
    const int end = static_cast<int>(std::ssize(rows) * (i + 1) / processes);
    places.push_back(first);
    counts.push_back(end - first);
    first = end;
  }
  const auto mine = static_cast<std::size_t>(p);
  std::vector<double> part(static_cast<std::size_t>(counts[mine]));
  check_mpi(
      MPI_Reduce_scatter(rows.data(), part.data(), counts.data(), MPI_UINT64_T, MPI_BOR, column),
      "MPI_Reduce_scatter");
  check_mpi(MPI_Allgatherv(part.data(), counts[mine], MPI_UINT64_T, rows.data(), counts.data(),
                           places.data(), MPI_UINT64_T, column),
            "MPI_Allgatherv");
}

}  // namespace

updater::updater(linear_system& system) : system_(system) {
  if (system.grid.rows() == 1) return;
  in_.resize(static_cast<std::size_t>(system.how.nb * system.columns()));
  out_.resize(in_.size());
}

void updater::apply(const panel_place& at, std::span<const double> done, std::int64_t column,
                    std::int64_t count) {
  if (count == 0) return;
  const std::span<double> columns = system_.columns_at(column, count);
  if (system_.grid.rows() == 1) {
    apply_panel_alone(system_, at, done, columns);
    return;
  }
  const auto size = static_cast<std::size_t>(at.width * count);
  collect_rows(system_, at, done, columns, std::span(in_).first(size), std::span(out_).first(size));
  if (!alone_) exchange(at, count);
  apply_panel(system_, at, done, columns, std::span(in_).first(size), out_);
}

void updater::exchange(const panel_place& at, std::int64_t count) {
  if (count == 0 || system_.grid.rows() == 1) return;
  const auto size = static_cast<std::size_t>(at.width * count);
  const mesh& grid = system_.grid;
  if (exchanges_in_pairs(system_.how, count)) {
    combine_in_pairs(std::span(in_).first(size), grid.mpi_column());
  } else {
    combine_and_roll(std::span(in_).first(size), grid.p(), grid.rows(), grid.mpi_column());
  }
  check_mpi(MPI_Bcast(out_.data(), static_cast<int>(size), MPI_DOUBLE, at.p, grid.mpi_column()),
            "MPI_Bcast");
}

}  // namespace hpl
