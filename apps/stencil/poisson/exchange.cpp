// SPDX-License-Identifier: BSD-3-Clause
#include "exchange.hpp"

#include <string>

#include "measure/mpi_check.hpp"

namespace poisson {

using plait::activity;
using plait::measure::check_mpi;
using plait::measure::stopwatch;

neighbour_call::integers neighbour_call::integers_of(const std::vector<neighbours::edge>& edges) {
  integers result;
  for (const neighbours::edge& e : edges) {
    result.peers.push_back(e.peer);
    result.counts.push_back(static_cast<int>(e.where.count));
    result.displacements.push_back(static_cast<int>(e.where.displacement));
  }
  return result;
}

neighbour_call::neighbour_call(MPI_Comm communicator, const problem& p)
    : around_(p.whole(), p.rank()),
      sent_(integers_of(around_.sent)),
      received_(integers_of(around_.received)) {
  check_mpi(MPI_Dist_graph_create_adjacent(communicator, static_cast<int>(received_.peers.size()),
                                           received_.peers.data(), MPI_UNWEIGHTED,
                                           static_cast<int>(sent_.peers.size()), sent_.peers.data(),
                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_),
            "MPI_Dist_graph_create_adjacent");
}

neighbour_call::~neighbour_call() {
  MPI_Comm_free(&graph_);
}

void neighbour_call::pack(const values& of) {
  for (const neighbours::edge& e : around_.sent)
    plait::stencil::pack(of, e.cells, neighbours::part_of(around_.outgoing, e));
}

void neighbour_call::unpack(const values& of) {
  for (const neighbours::edge& e : around_.received)
    plait::stencil::unpack(of, e.cells, neighbours::part_of(around_.incoming, e));
}

void neighbour_call::call() {
  check_mpi(MPI_Neighbor_alltoallv(around_.outgoing.data(), sent_.counts.data(),
                                   sent_.displacements.data(), MPI_DOUBLE, around_.incoming.data(),
                                   received_.counts.data(), received_.displacements.data(),
                                   MPI_DOUBLE, graph_),
            "MPI_Neighbor_alltoallv");
}

void neighbour_call::start() {
  check_mpi(MPI_Ineighbor_alltoallv(around_.outgoing.data(), sent_.counts.data(),
                                    sent_.displacements.data(), MPI_DOUBLE, around_.incoming.data(),
                                    received_.counts.data(), received_.displacements.data(),
                                    MPI_DOUBLE, graph_, &request_),
            "MPI_Ineighbor_alltoallv");
}

bool neighbour_call::test() {
  int done = 0;
  check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void neighbour_call::wait() {
  check_mpi(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
}

exchange::exchange(MPI_Comm communicator, problem& p, array& of, exchange_kind how)
    : cells_(p.block(of)) {
  if (how == exchange_kind::mover) {
    by_messages_.emplace(communicator, of);
  } else {
    by_collective_.emplace(communicator, p);
  }
}

void exchange::run(stopwatch& watch) {
  if (by_messages_) {
    start(watch);
    finish(watch);
    return;
  }
  pack(watch);
  by_collective_->call();
  watch.lap(activity::exposed, "exchange");
  unpack(watch);
}

void exchange::start(stopwatch& watch) {
  if (by_messages_) return by_messages_->start(watch);
  pack(watch);
  by_collective_->start();
  watch.lap(activity::posting, "start");
}

bool exchange::look(stopwatch& watch) {
  if (by_messages_) return by_messages_->look(watch);
  const bool done = by_collective_->test();
  watch.lap(activity::posting, "look");
  return done;
}

void exchange::finish(stopwatch& watch) {
  if (by_messages_) return by_messages_->finish(watch);
  by_collective_->wait();
  watch.lap(activity::exposed, "wait");
  unpack(watch);
}

void exchange::pack(stopwatch& watch) {
  by_collective_->pack(cells_);
  watch.lap(activity::compute, "pack");
  posted_ = plait::now_ticks();
}

/// Who waits for a collective knows no more than when it was over.
void exchange::unpack(stopwatch& watch) {
  if (watch.recording())
    for (const neighbours::edge& e : by_collective_->around().received)
      watch.add_message("receive from " + std::to_string(e.peer), {.sent = false, .peer = e.peer},
                        posted_, plait::now_ticks());
  by_collective_->unpack(cells_);
  watch.lap(activity::compute, "unpack");
}

}  // namespace poisson
