// SPDX-License-Identifier: BSD-3-Clause
#include "halo_in_parts.hpp"

#include <cstdint>

#include "measure/base/mpi_check.hpp"

namespace plait::stencil {
namespace {

using measure::check_mpi;
using measure::stopwatch;

/// Adds a message that is over to what is recorded.
void note(stopwatch& watch, const char* name, const message_side& side, ticks posted) {
  if (watch.recording()) watch.add_message(name, side, posted, now_ticks());
}

}  // namespace

halo_in_parts::halo_in_parts(const device& gpu, const device_layout& lies,
                             const std::vector<face>& faces, int parts, MPI_Comm communicator)
    : gpu_(gpu), lies_(lies), communicator_(communicator) {
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const std::vector<box<3>> edges = parts_of_plane(faces[f].edge, parts);
    const std::vector<box<3>> ghosts = parts_of_plane(faces[f].ghost, parts);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      parts_.push_back({f, i, edges[i], ghosts[i]});
      // Tags of a face's parts are those of its first one and every so many.
      const int tags = face_tags * static_cast<int>(i);
      way& one = ways_.emplace_back();
      one.peer = faces[f].peer;
      one.receive_tag = faces[f].receive_tag() + tags;
      one.send_tag = faces[f].send_tag() + tags;
      for (const int step : {0, 1}) {
        one.arriving[step] = pinned_of(lies.message_size(ghosts[i]));
        one.leaving[step] = pinned_of(lies.message_size(edges[i]));
      }
    }
  }
  receives_.assign(parts_.size(), MPI_REQUEST_NULL);
  sends_.assign(2 * parts_.size(), MPI_REQUEST_NULL);
  completed_.resize(sends_.size());
}

std::span<double> halo_in_parts::pinned_of(std::size_t size) {
  pinned<double>& memory = memory_.emplace_back(gpu_, size);
  return {memory.data(), size};
}

bool halo_in_parts::look(user& of, stopwatch& watch) {
  bool moved = post_receives();
  moved = take_ghosts(of, watch) || moved;
  moved = copy_edges(of) || moved;
  moved = send_edges() || moved;
  return end_sends(watch) || moved;
}

void halo_in_parts::expect_no_more() {
  to_receive_.clear();
  for (MPI_Request& one : receives_) {
    if (one == MPI_REQUEST_NULL) continue;
    check_mpi(MPI_Cancel(&one), "MPI_Cancel");
    check_mpi(MPI_Wait(&one, MPI_STATUS_IGNORE), "MPI_Wait");
  }
}

/// Posts receives into memory that has been copied to the device.
bool halo_in_parts::post_receives() {
  bool moved = false;
  while (!to_receive_.empty()) {
    const due next = to_receive_.front();
    way& one = ways_[next.number];
    if (receives_[next.number] != MPI_REQUEST_NULL ||
        !by_hand::has_passed(gpu_, one.ghost_copied[next.step]))
      break;
    const std::span<double> to = one.arriving[next.step];
    check_mpi(MPI_Irecv(to.data(), static_cast<int>(to.size()), MPI_DOUBLE, one.peer,
                        one.receive_tag, communicator_, &receives_[next.number]),
              "MPI_Irecv");
    one.receive_posted[next.step] = now_ticks();
    to_receive_.pop_front();
    moved = true;
  }
  return moved;
}

std::span<const int> halo_in_parts::completed_of(std::vector<MPI_Request>& requests) {
  int count = 0;
  check_mpi(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count,
                         completed_.data(), MPI_STATUSES_IGNORE),
            "MPI_Testsome");
  if (count == MPI_UNDEFINED) count = 0;
  return {completed_.data(), static_cast<std::size_t>(count)};
}

/// Copies ghosts that have come to the device.
bool halo_in_parts::take_ghosts(user& of, stopwatch& watch) {
  const std::span<const int> came = completed_of(receives_);
  for (const int place : came) {
    const auto number = static_cast<std::size_t>(place);
    way& one = ways_[number];
    const int step = one.received++;
    const std::span<const double> from = one.arriving[step];
    note(watch, "ghost",
         {.sent = false,
          .peer = one.peer,
          .tag = one.receive_tag,
          .place = static_cast<std::uint64_t>(step),
          .size_bytes = from.size_bytes()},
         one.receive_posted[step]);
    const queue q = by_hand::queue_of(gpu_, device_queue::to_device, "ghost");
    by_hand::wait(q, of.last_reader(number, step));
    by_hand::copy<double>(q, from, lies_.message(of.array_of(step), parts_[number].ghost));
    one.ghost_copied[step] = by_hand::record(q);
    of.ghost_comes(number, step);
  }
  return !came.empty();
}

/// Copies edges to the host, into memory that was sent.
bool halo_in_parts::copy_edges(user& of) {
  bool moved = false;
  while (!to_copy_.empty() && send_of(to_copy_.front()) == MPI_REQUEST_NULL) {
    const due next = to_copy_.front();
    const queue q = by_hand::queue_of(gpu_, device_queue::to_host, "edge");
    by_hand::wait(q, next.after);
    way& one = ways_[next.number];
    by_hand::copy<double>(
        q, lies_.message(of.array_of(next.step), parts_[next.number].edge).as_const(),
        one.leaving[next.step]);
    one.edge_copied[next.step] = by_hand::record(q);
    copying_.push_back(next);
    to_copy_.pop_front();
    moved = true;
  }
  return moved;
}

bool halo_in_parts::send_edges() {
  bool moved = false;
  while (!copying_.empty()) {
    const due next = copying_.front();
    way& one = ways_[next.number];
    if (!by_hand::has_passed(gpu_, one.edge_copied[next.step])) break;
    const std::span<const double> from = one.leaving[next.step];
    check_mpi(MPI_Isend(from.data(), static_cast<int>(from.size()), MPI_DOUBLE, one.peer,
                        one.send_tag, communicator_, &send_of(next)),
              "MPI_Isend");
    one.send_posted[next.step] = now_ticks();
    one.sent[next.step] = next.step;
    copying_.pop_front();
    ++sending_;
    moved = true;
  }
  return moved;
}

bool halo_in_parts::end_sends(stopwatch& watch) {
  const std::span<const int> ended = completed_of(sends_);
  for (const int place : ended) {
    way& one = ways_[static_cast<std::size_t>(place / 2)];
    const int step = one.sent[place % 2];
    note(watch, "edge",
         {.sent = true,
          .peer = one.peer,
          .tag = one.send_tag,
          .place = static_cast<std::uint64_t>(step),
          .size_bytes = one.leaving[step].size_bytes()},
         one.send_posted[step]);
  }
  sending_ -= ended.size();
  return !ended.empty();
}

}  // namespace plait::stencil
