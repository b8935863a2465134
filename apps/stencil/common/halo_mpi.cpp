// SPDX-License-Identifier: BSD-3-Clause
#include "halo_mpi.hpp"

#include <climits>
#include <span>
#include <thread>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measure/mpi_check.hpp"

namespace plait::stencil {

using measure::check_mpi;

halo_mpi::halo_mpi(MPI_Comm communicator, block_array<double, 3>& u, int first_tag)
    : cells_(u.block(u.local_blocks().front())),
      first_tag_(first_tag),
      faces_(faces_of(u.blocks(), u.rank())),
      outgoing_(faces_.size()),
      incoming_(faces_.size()),
      requests_(2 * faces_.size(), MPI_REQUEST_NULL),
      messages_(2 * faces_.size()),
      completed_(2 * faces_.size()) {
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const face& f = faces_[i];
    const std::int64_t values = message_size(cells_, f);
    if (values > INT_MAX)
      throw usage_error(
          fmt::format("a face of {} values is more than one message can hold; use more processes "
                      "along another axis",
                      values));
    std::span<double> into;
    std::span<double> from;
    if (f.contiguous()) {
      into = cells_in_memory(cells_, f.ghost);
      from = cells_in_memory(cells_, f.edge);
    } else {
      packs_ = true;
      incoming_[i].resize(static_cast<std::size_t>(values));
      outgoing_[i].resize(static_cast<std::size_t>(values));
      into = incoming_[i];
      from = outgoing_[i];
    }
    const std::size_t send = faces_.size() + i;
    messages_[i].size_bytes = messages_[send].size_bytes = from.size_bytes();
    check_mpi(MPI_Recv_init(into.data(), static_cast<int>(values), MPI_DOUBLE, f.peer,
                            first_tag + f.receive_tag(), communicator, &requests_[i]),
              "MPI_Recv_init");
    check_mpi(MPI_Send_init(from.data(), static_cast<int>(values), MPI_DOUBLE, f.peer,
                            first_tag + f.send_tag(), communicator, &requests_[send]),
              "MPI_Send_init");
  }
}

halo_mpi::~halo_mpi() {
  for (MPI_Request& one : requests_)
    if (one != MPI_REQUEST_NULL) MPI_Request_free(&one);
}

double halo_mpi::bytes_of(const face& f) const {
  return static_cast<double>(message_size(cells_, f)) * sizeof(double);
}

void halo_mpi::start(std::size_t first_slot) {
  if (faces_.empty()) return;  // Open MPI refuses to start none
  const int count = static_cast<int>(faces_.size());
  check_mpi(MPI_Startall(count, requests_.data() + first_slot), "MPI_Startall");
  const ticks now = now_ticks();
  for (std::size_t i = 0; i < faces_.size(); ++i) messages_[first_slot + i].posted = now;
  pending_ += count;
}

void halo_mpi::post_receives() {
  ++exchanges_;
  start(0);
}

void halo_mpi::post_sends() {
  start(faces_.size());
}

void halo_mpi::pack() {
  for (std::size_t i = 0; i < faces_.size(); ++i)
    if (!faces_[i].contiguous()) stencil::pack(cells_, faces_[i].edge, outgoing_[i]);
}

void halo_mpi::unpack() {
  for (std::size_t i = 0; i < faces_.size(); ++i)
    if (!faces_[i].contiguous()) stencil::unpack(cells_, faces_[i].ghost, incoming_[i]);
}

void halo_mpi::note_completed(int count) {
  if (count == MPI_UNDEFINED || count == 0) return;
  const ticks now = now_ticks();
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

void halo_mpi::exchange() {
  post_receives();
  pack();
  post_sends();
  wait();
  unpack();
}

void halo_mpi::exchange_sparsely(std::chrono::microseconds between_looks) {
  post_receives();
  pack();
  post_sends();
  while (!test()) std::this_thread::sleep_for(between_looks);
  unpack();
}

void halo_mpi::add_messages_to(measure::stopwatch& watch) const {
  for (std::size_t slot = 0; slot < messages_.size(); ++slot) {
    const bool receive = slot < faces_.size();
    const face& f = faces_[slot % faces_.size()];
    const message_side side{.sent = !receive,
                            .peer = f.peer,
                            .tag = first_tag_ + (receive ? f.receive_tag() : f.send_tag()),
                            .place = exchanges_,
                            .size_bytes = messages_[slot].size_bytes};
    watch.add_message(fmt::format("{} {}", receive ? "receive from" : "send to", f.peer), side,
                      messages_[slot].posted, messages_[slot].completed);
  }
}

}  // namespace plait::stencil
