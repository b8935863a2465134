// SPDX-License-Identifier: BSD-3-Clause
#include "halo_mpi.hpp"

#include <chrono>
#include <utility>

#include <plait/plait.hpp>

namespace plait::stencil {

halo_mpi::halo_mpi(MPI_Comm communicator, block_array<double, 3>& u, int first_tag)
    : plain_exchange(communicator),
      cells_(u.block(u.local_blocks().front())),
      faces_(faces_of(u.blocks(), u.rank())),
      outgoing_(faces_.size()),
      incoming_(faces_.size()) {
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const face& f = faces_[i];
    if (f.contiguous()) {
      add_receive(cells_in_memory(cells_, f.ghost), f.peer, first_tag + f.receive_tag());
      continue;
    }
    packs_ = unpacks_ = true;
    incoming_[i].resize(static_cast<std::size_t>(f.edge.size()));
    outgoing_[i].resize(static_cast<std::size_t>(f.edge.size()));
    add_receive(incoming_[i], f.peer, first_tag + f.receive_tag());
  }
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const face& f = faces_[i];
    add_send(f.contiguous() ? cells_in_memory(cells_, f.edge) : std::span(outgoing_[i]), f.peer,
             first_tag + f.send_tag());
  }
}

void halo_mpi::pack() {
  for (std::size_t i = 0; i < faces_.size(); ++i)
    if (!faces_[i].contiguous()) stencil::pack(cells_, faces_[i].edge, outgoing_[i]);
}

void halo_mpi::unpack() {
  for (std::size_t i = 0; i < faces_.size(); ++i)
    if (!faces_[i].contiguous()) stencil::unpack(cells_, faces_[i].ghost, incoming_[i]);
}

measure::communication_alone exchanges_alone(std::span<halo_mpi> halos, int steps,
                                             std::function<void()> reset, std::vector<box<3>> tiles,
                                             std::function<void(const box<3>&)> sweep) {
  return {
      .prepare = std::move(reset),
      .run =
          [halos, steps] {
            for (int step = 0; step < steps; ++step)
              for (halo_mpi& one : halos) one.exchange();
          },
      .exchanges = static_cast<int>(halos.size()) * steps,
      .exchange_sparsely =
          [halos](std::chrono::microseconds interval) { halos.back().exchange_sparsely(interval); },
      .work = measure::in_turns(std::move(tiles), std::move(sweep))};
}

}  // namespace plait::stencil
