// SPDX-License-Identifier: BSD-3-Clause
/// The library's non-blocking sums of slabs: MPI_Iallreduce, MPI_Testsome, MPI_Wait.
#pragma once

#include <vector>

#include <plait/comm/mpi.hpp>

#include "measure/compare/timeline.hpp"
#include "problem.hpp"

namespace osem {

/// A sum under way for each slab, at most.
class slab_sums {
 public:
  explicit slab_sums(MPI_Comm communicator) : communicator_(communicator) {}

  void prepare(const problem& p);
  /// Starts the sum of a slab's credits.
  void start(problem& p, int slab);
  /// Looks after all of them: a library moves data only inside its calls.
  void look();
  /// Returns when the slab's sum is there.  A message is noted where `watch` records.
  void wait(int slab, plait::measure::stopwatch& watch);

 private:
  MPI_Comm communicator_;
  std::vector<MPI_Request> requests_;
  std::vector<plait::ticks> started_;
};

}  // namespace osem
