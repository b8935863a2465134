// SPDX-License-Identifier: BSD-3-Clause
/// Sums over all ranks whose bits do not depend on who adds them up.  A rank's addend has a place
/// of its own in a vector that is 0 elsewhere; however a library combines such vectors, zeros
/// change nothing; and what comes out is added in the order of ranks.
#pragma once

#include <span>

#include <plait/comm/mpi.hpp>

namespace poisson {

/// Fills a vector with a place for each rank.
void place_own(std::span<double> addends, int rank, double own);
[[nodiscard]] double in_rank_order(std::span<const double> addends);

/// By MPI_Allreduce.  Blocks.
[[nodiscard]] double sum_over_ranks(MPI_Comm communicator, double own);

}  // namespace poisson
