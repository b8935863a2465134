// SPDX-License-Identifier: BSD-3-Clause
#include "halo_mpi.hpp"

#include <algorithm>
#include <climits>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "support/mpi_check.hpp"

namespace jacobi3d {

using plait::app::check_mpi;

halo_mpi::halo_mpi(MPI_Comm communicator, const problem& p)
    : communicator_(communicator),
      faces_(faces_of(p.blocks(), p.rank())),
      outgoing_(faces_.size()),
      incoming_(faces_.size()),
      requests_(2 * faces_.size(), MPI_REQUEST_NULL),
      messages_(2 * faces_.size()),
      completed_(2 * faces_.size()) {
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const std::int64_t values = faces_[i].message_size(p.u);
    if (values > INT_MAX)
      throw plait::usage_error(
          fmt::format("a face of {} values is more than one message can hold; use more processes "
                      "along another axis",
                      values));
    if (faces_[i].contiguous()) continue;
    packs_ = true;
    outgoing_[i].resize(static_cast<std::size_t>(values));
    incoming_[i].resize(static_cast<std::size_t>(values));
  }
}

void halo_mpi::post_receives(field& u) {
  ++exchanges_;
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const face& f = faces_[i];
    const std::span<double> into =
        f.contiguous() ? u.plane_cells(f.ghost.low[axis::z]) : std::span(incoming_[i]);
    check_mpi(MPI_Irecv(into.data(), static_cast<int>(into.size()), MPI_DOUBLE, f.peer,
                        f.receive_tag(), communicator_, &requests_[i]),
              "MPI_Irecv");
    messages_[i] = {plait::now_ticks(), 0, into.size_bytes()};
    ++pending_;
  }
}

void halo_mpi::pack(const field& u) {
  for (std::size_t i = 0; i < faces_.size(); ++i)
    if (!faces_[i].contiguous()) jacobi3d::pack(u, faces_[i].edge, outgoing_[i]);
}

void halo_mpi::post_sends(const field& u) {
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const face& f = faces_[i];
    const std::span<const double> from =
        f.contiguous() ? u.plane_cells(f.edge.low[axis::z]) : std::span<const double>(outgoing_[i]);
    const std::size_t slot = faces_.size() + i;
    check_mpi(MPI_Isend(from.data(), static_cast<int>(from.size()), MPI_DOUBLE, f.peer,
                        f.send_tag(), communicator_, &requests_[slot]),
              "MPI_Isend");
    messages_[slot] = {plait::now_ticks(), 0, from.size_bytes()};
    ++pending_;
  }
}

void halo_mpi::note_completed(int count) {
  if (count == MPI_UNDEFINED || count == 0) return;
  const plait::ticks now = plait::now_ticks();
  for (int i = 0; i < count; ++i)
    messages_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])].completed = now;
  pending_ -= count;
}

bool halo_mpi::test() {
  if (pending_ == 0) return true;
  int count = 0;
  check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                         completed_.data(), MPI_STATUSES_IGNORE),
            "MPI_Testsome");
  note_completed(count);
  return pending_ == 0;
}

void halo_mpi::wait() {
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  pending_ = 0;
}

void halo_mpi::wait_noting() {
  while (pending_ > 0) {
    int count = 0;
    check_mpi(MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                           completed_.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitsome");
    note_completed(count);
  }
}

void halo_mpi::unpack(field& u) {
  for (std::size_t i = 0; i < faces_.size(); ++i)
    if (!faces_[i].contiguous()) jacobi3d::unpack(u, faces_[i].ghost, incoming_[i]);
}

void halo_mpi::add_messages_to(plait::app::stopwatch& watch) const {
  for (std::size_t slot = 0; slot < messages_.size(); ++slot) {
    const bool receive = slot < faces_.size();
    const face& f = faces_[slot % faces_.size()];
    const plait::message_side side{.sent = !receive,
                                   .peer = f.peer,
                                   .tag = receive ? f.receive_tag() : f.send_tag(),
                                   .place = exchanges_,
                                   .size_bytes = messages_[slot].size_bytes};
    watch.add_message(fmt::format("{} {}", receive ? "receive from" : "send to", f.peer), side,
                      messages_[slot].posted, messages_[slot].completed);
  }
}

}  // namespace jacobi3d
