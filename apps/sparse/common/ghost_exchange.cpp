// SPDX-License-Identifier: BSD-3-Clause
#include "ghost_exchange.hpp"

#include <numeric>
#include <thread>

#include <fmt/format.h>

#include "measure/mpi_check.hpp"

namespace plait::sparse {

using measure::check_mpi;

ghost_exchange::ghost_exchange(MPI_Comm communicator, const dealt_matrix& a,
                               const index_lists& lists, std::span<const double> x,
                               std::span<double> ghosts)
    : x_(x), receives_(a.ghost_ranges.size()) {
  for (const ghost_range& range : a.ghost_ranges) {
    const auto count = static_cast<int>(range.last - range.first);
    check_mpi(MPI_Recv_init(ghosts.data() + range.first, count, MPI_DOUBLE, range.owner, 0,
                            communicator, &requests_.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Recv_init");
    messages_.push_back({.peer = range.owner, .size_bytes = 8 * static_cast<std::size_t>(count)});
  }
  for (const index_lists::wanted& one : lists.by_peers()) {
    if (one.peer == a.rank) continue;
    for (const point<1>& cell : one.cells)
      sent_elements_.push_back(static_cast<std::int32_t>(cell[axis::x] - a.first_column()));
  }
  outgoing_.resize(sent_elements_.size());
  double* next = outgoing_.data();
  for (const index_lists::wanted& one : lists.by_peers()) {
    if (one.peer == a.rank) continue;
    check_mpi(MPI_Send_init(next, static_cast<int>(one.cells.size()), MPI_DOUBLE, one.peer, 0,
                            communicator, &requests_.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Send_init");
    messages_.push_back({.peer = one.peer, .size_bytes = 8 * one.cells.size()});
    next += one.cells.size();
  }
  completed_.resize(requests_.size());
}

ghost_exchange::~ghost_exchange() {
  for (MPI_Request& one : requests_)
    if (one != MPI_REQUEST_NULL) MPI_Request_free(&one);
}

void ghost_exchange::start(std::size_t first, std::size_t count) {
  if (count == 0) return;  // Open MPI refuses to start none
  check_mpi(MPI_Startall(static_cast<int>(count), requests_.data() + first), "MPI_Startall");
  const ticks now = now_ticks();
  for (std::size_t i = first; i < first + count; ++i) messages_[i].posted = now;
  pending_ += static_cast<int>(count);
}

void ghost_exchange::post_receives() {
  ++exchanges_;
  start(0, receives_);
}

void ghost_exchange::pack() {
  for (std::size_t k = 0; k < outgoing_.size(); ++k)
    outgoing_[k] = x_[static_cast<std::size_t>(sent_elements_[k])];
}

void ghost_exchange::post_sends() {
  start(receives_, requests_.size() - receives_);
}

void ghost_exchange::note_completed(int count) {
  if (count == MPI_UNDEFINED || count == 0) return;
  const ticks now = now_ticks();
  for (int i = 0; i < count; ++i)
    messages_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])].completed = now;
  pending_ -= count;
}

bool ghost_exchange::test() {
  if (pending_ == 0) return true;
  int count = 0;
  check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                         completed_.data(), MPI_STATUSES_IGNORE),
            "MPI_Testsome");
  note_completed(count);
  return pending_ == 0;
}

void ghost_exchange::wait() {
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  pending_ = 0;
}

void ghost_exchange::wait_noting() {
  while (pending_ > 0) {
    int count = 0;
    check_mpi(MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                           completed_.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitsome");
    note_completed(count);
  }
}

void ghost_exchange::exchange() {
  post_receives();
  pack();
  post_sends();
  wait();
}

void ghost_exchange::exchange_sparsely(std::chrono::microseconds between_looks) {
  post_receives();
  pack();
  post_sends();
  while (!test()) std::this_thread::sleep_for(between_looks);
}

std::vector<measure::sent_bytes> ghost_exchange::sent() const {
  std::vector<measure::sent_bytes> result;
  for (std::size_t i = receives_; i < messages_.size(); ++i)
    result.push_back({messages_[i].peer, static_cast<double>(messages_[i].size_bytes)});
  return result;
}

void ghost_exchange::add_messages_to(measure::stopwatch& watch) const {
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const message& one = messages_[i];
    const bool sent = i >= receives_;
    const message_side side{.sent = sent,
                            .peer = one.peer,
                            .tag = 0,
                            .place = exchanges_,
                            .size_bytes = one.size_bytes};
    watch.add_message(fmt::format("{} {}", sent ? "send to" : "receive from", one.peer), side,
                      one.posted, one.completed);
  }
}

double sum_over_ranks(MPI_Comm communicator, double own) {
  int ranks = 1;
  MPI_Comm_size(communicator, &ranks);
  std::vector<double> all(static_cast<std::size_t>(ranks));
  check_mpi(MPI_Allgather(&own, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, communicator),
            "MPI_Allgather");
  return std::accumulate(all.begin(), all.end(), 0.0);
}

}  // namespace plait::sparse
