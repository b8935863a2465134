// SPDX-License-Identifier: BSD-3-Clause
#include "halo_blocking.hpp"

#include <utility>

namespace plait::stencil {
namespace {

[[nodiscard]] std::span<double> all_of(pinned<double>& memory) {
  return {memory.data(), memory.size()};
}

}  // namespace

halo_blocking::halo_blocking(const device& gpu, const device_layout& lies, std::vector<face> faces,
                             MPI_Comm communicator)
    : plain_exchange(communicator), gpu_(gpu), lies_(lies), faces_(std::move(faces)) {
  for (const face& f : faces_) {
    incoming_.emplace_back(gpu, lies.message_size(f.ghost));
    outgoing_.emplace_back(gpu, lies.message_size(f.edge));
    add_receive(all_of(incoming_.back()), f.peer, f.receive_tag());
  }
  for (std::size_t i = 0; i < faces_.size(); ++i)
    add_send(all_of(outgoing_[i]), faces_[i].peer, faces_[i].send_tag());
}

void halo_blocking::fill(const span_there& of, measure::stopwatch& watch) {
  const queue down = by_hand::queue_of(gpu_, device_queue::to_host, "edge");
  for (std::size_t i = 0; i < faces_.size(); ++i)
    by_hand::copy<double>(down, lies_.message(of, faces_[i].edge).as_const(), all_of(outgoing_[i]));
  by_hand::await(gpu_, by_hand::record(down));
  watch.lap(activity::exposed, "edges to the host");
  run(watch);
  const queue up = by_hand::queue_of(gpu_, device_queue::to_device, "ghost");
  for (std::size_t i = 0; i < faces_.size(); ++i)
    by_hand::copy<double>(up, std::span<const double>(all_of(incoming_[i])),
                          lies_.message(of, faces_[i].ghost));
  by_hand::await(gpu_, by_hand::record(up));
  watch.lap(activity::exposed, "ghosts to the device");
}

}  // namespace plait::stencil
