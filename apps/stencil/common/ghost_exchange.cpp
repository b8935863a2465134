// SPDX-License-Identifier: BSD-3-Clause
#include "ghost_exchange.hpp"

#include "halo_collective.hpp"
#include "halo_mpi.hpp"
#include "message_parts.hpp"

namespace plait::stencil {
namespace {

// A message of half a megabyte: a rank that is late answers no more than that after the bytes it
// sends itself.  [Poisson, plait over olap, 512x512x32, 1 Gbit/s, three jobs each: whole faces 1.03
// to 1.10, parts of 64 Ki cells 0.97 to 1.06, of 7.5 Ki cells 0.98 to 1.03; MPICH 1.06, 1.32; 0.98,
// 0.98; 0.96, 1.09]
constexpr std::int64_t between_nodes = std::int64_t{1} << 16;

void pack_task(view<const double, 3> from, std::span<double> to) {
  pack(from, from.cells(), to);
}
void unpack_task(std::span<const double> from, view<double, 3> to) {
  unpack(to, to.cells(), from);
}

std::vector<collective::block> blocks_of(const packed_faces& faces) {
  std::vector<collective::block> result;
  for (std::size_t i = 0; i < faces.size(); ++i)
    result.push_back({static_cast<std::size_t>(faces.counts[i]),
                      static_cast<std::size_t>(faces.displacements[i])});
  return result;
}

}  // namespace

std::unique_ptr<measure::watched_exchange> make_exchange(MPI_Comm communicator,
                                                         block_array<double, 3>& u,
                                                         exchange_kind how) {
  if (how == exchange_kind::mover) return std::make_unique<halo_mpi>(communicator, u);
  return std::make_unique<halo_collective>(communicator, u);
}

ghost_tasks::ghost_tasks(const environment& env, block_array<double, 3>& u, exchange_kind how)
    : cells_(u.block(u.local_blocks().front())) {
  if (how == exchange_kind::mover) {
    // Behind the physical boundary every rank has zeros, which may travel.
    ghosts_ = ghosts_of(
        u, {.cells_per_message = cells_per_message(env, between_nodes), .gaps_travel = true});
  } else {
    sent_.emplace(u.blocks(), u.rank(), faces_that::leave);
    received_.emplace(u.blocks(), u.rank(), faces_that::arrive);
  }
}

void ghost_tasks::submit(runtime& rt) {
  if (ghosts_) {
    rt.move(*ghosts_);
  } else {
    submit_collective(rt);
  }
}

void ghost_tasks::submit_collective(runtime& rt) {
  for (std::size_t i = 0; i < sent_->size(); ++i)
    rt.task("pack", pack_task, in(cells_[sent_->cells[i]]), out(sent_->part(i))).priority(high);
  rt.neighbour_alltoallv("ghosts", in(sent_->values), blocks_of(*sent_), out(received_->values),
                         blocks_of(*received_),
                         {.sources = received_->peers, .destinations = sent_->peers});
  for (std::size_t i = 0; i < received_->size(); ++i)
    rt.task("unpack", unpack_task, in(received_->part(i)), out(cells_[received_->cells[i]]))
        .priority(high);
}

}  // namespace plait::stencil
