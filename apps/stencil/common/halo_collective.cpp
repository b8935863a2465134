// SPDX-License-Identifier: BSD-3-Clause
#include "halo_collective.hpp"

#include <fmt/format.h>

#include "measure/base/mpi_check.hpp"

namespace plait::stencil {

using measure::check_mpi;
using measure::stopwatch;

halo_collective::halo_collective(MPI_Comm communicator, block_array<double, 3>& u)
    : cells_(u.block(u.local_blocks().front())),
      sent_(u.blocks(), u.rank(), faces_that::leave),
      received_(u.blocks(), u.rank(), faces_that::arrive) {
  check_mpi(MPI_Dist_graph_create_adjacent(communicator, static_cast<int>(received_.size()),
                                           received_.peers.data(), MPI_UNWEIGHTED,
                                           static_cast<int>(sent_.size()), sent_.peers.data(),
                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_),
            "MPI_Dist_graph_create_adjacent");
}

halo_collective::~halo_collective() {
  MPI_Comm_free(&graph_);
}

void halo_collective::start(stopwatch& watch) {
  pack(watch);
  check_mpi(
      MPI_Ineighbor_alltoallv(sent_.values.data(), sent_.counts.data(), sent_.displacements.data(),
                              MPI_DOUBLE, received_.values.data(), received_.counts.data(),
                              received_.displacements.data(), MPI_DOUBLE, graph_, &request_),
      "MPI_Ineighbor_alltoallv");
  watch.lap(activity::posting, "start");
}

bool halo_collective::look(stopwatch& watch) {
  int done = 0;
  check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  watch.lap(activity::posting, "look");
  return done != 0;
}

void halo_collective::finish(stopwatch& watch) {
  check_mpi(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  watch.lap(activity::exposed, "wait");
  unpack(watch);
}

void halo_collective::run(stopwatch& watch) {
  pack(watch);
  check_mpi(
      MPI_Neighbor_alltoallv(sent_.values.data(), sent_.counts.data(), sent_.displacements.data(),
                             MPI_DOUBLE, received_.values.data(), received_.counts.data(),
                             received_.displacements.data(), MPI_DOUBLE, graph_),
      "MPI_Neighbor_alltoallv");
  watch.lap(activity::exposed, "exchange");
  unpack(watch);
}

void halo_collective::pack(stopwatch& watch) {
  for (std::size_t i = 0; i < sent_.size(); ++i)
    stencil::pack(cells_, sent_.cells[i], sent_.part(i));
  watch.lap(activity::compute, "pack");
  posted_ = now_ticks();
}

/// The only moment known of a collective is its end.
void halo_collective::unpack(stopwatch& watch) {
  if (watch.recording())
    for (const int peer : received_.peers)
      watch.add_message(fmt::format("receive from {}", peer), {.sent = false, .peer = peer},
                        posted_, now_ticks());
  for (std::size_t i = 0; i < received_.size(); ++i)
    stencil::unpack(cells_, received_.cells[i], received_.part(i));
  watch.lap(activity::compute, "unpack");
}

}  // namespace plait::stencil
