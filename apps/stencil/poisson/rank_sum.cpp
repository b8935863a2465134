// SPDX-License-Identifier: BSD-3-Clause
#include "rank_sum.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "measure/mpi_check.hpp"

namespace poisson {

using plait::measure::check_mpi;

double in_rank_order(std::span<const double> addends) {
  return std::accumulate(addends.begin(), addends.end(), 0.0);
}

void place_own(std::span<double> addends, int rank, double own) {
  std::ranges::fill(addends, 0.0);
  addends[static_cast<std::size_t>(rank)] = own;
}

double sum_over_ranks(MPI_Comm communicator, double own) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  std::vector<double> addends(static_cast<std::size_t>(ranks));
  place_own(addends, rank, own);
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, addends.data(), ranks, MPI_DOUBLE, MPI_SUM, communicator),
            "MPI_Allreduce");
  return in_rank_order(addends);
}

}  // namespace poisson
