// SPDX-License-Identifier: BSD-3-Clause
/// The exchange of a block's ghosts by MPI's neighbour collective.
#pragma once

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "measure/rows/plain_exchange.hpp"
#include "packed_faces.hpp"

namespace plait::stencil {

/// MPI_Ineighbor_alltoallv, or in `run` MPI_Neighbor_alltoallv, with what is packed for it.
class halo_collective final : public measure::watched_exchange {
 public:
  /// `u` outlives it, in place.  Collective, as is the destructor.  Precondition: as `faces_of`.
  halo_collective(MPI_Comm communicator, block_array<double, 3>& u);
  ~halo_collective() override;

  void start(measure::stopwatch& watch) override;
  [[nodiscard]] bool look(measure::stopwatch& watch) override;
  void finish(measure::stopwatch& watch) override;
  void run(measure::stopwatch& watch) override;

 private:
  void pack(measure::stopwatch& watch);
  void unpack(measure::stopwatch& watch);

  view<double, 3> cells_;
  packed_faces sent_, received_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  ticks posted_ = 0;
};

}  // namespace plait::stencil
