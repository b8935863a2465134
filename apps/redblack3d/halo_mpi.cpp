// SPDX-License-Identifier: BSD-3-Clause
#include "halo_mpi.hpp"

#include <algorithm>
#include <climits>

#include <plait/plait.hpp>

#include "support/mpi_check.hpp"

namespace redblack3d {

using plait::axis;
using plait::side;
using plait::app::check_mpi;

std::vector<face> faces_of(const domain& whole, int rank) {
  const plait::decomposition<3>& blocks = whole.blocks();
  const plait::process_grid<3>& grid = *blocks.grid();
  const box& own = whole.block(rank);
  std::vector<face> result;
  for (const axis a : {axis::z, axis::y, axis::x}) {
    for (const side s : plait::both_sides) {
      if (!blocks.has_neighbour(whole.block_of(rank), a, s)) continue;
      auto at = grid.coordinates(rank);
      int& along = at[static_cast<std::size_t>(plait::index_of(a))];
      along = (along + (s == side::low ? -1 : 1) + grid.extent(a)) % grid.extent(a);
      result.push_back({a, s, grid.rank_at(at), plait::layers_inside(own, a, s, 1),
                        plait::layers_outside(own, a, s, 1)});
    }
  }
  return result;
}

std::span<double> cells_in_memory(const plait::view<double, 3>& u, const box& plane) {
  double* const first = u.at(plane.low);
  const double* const last = u.at(plane.high - plait::extents<3>(1));
  return {first, static_cast<std::size_t>(last + 1 - first)};
}

std::int64_t message_size(const plait::view<double, 3>& u, const face& f) {
  return f.contiguous() ? std::ssize(cells_in_memory(u, f.edge)) : f.edge.size();
}

void pack(const plait::view<double, 3>& source, const box& from, std::span<double> buffer) {
  PLAIT_EXPECTS(std::ssize(buffer) == from.size(), std::to_string(buffer.size()));
  double* to = buffer.data();
  plait::for_each_row(from, [&](const plait::point<3>& first) {
    to = std::copy_n(source.at(first), from.extent(axis::x), to);
  });
}

void unpack(const plait::view<double, 3>& target, const box& to, std::span<const double> buffer) {
  PLAIT_EXPECTS(std::ssize(buffer) == to.size(), std::to_string(buffer.size()));
  const double* from = buffer.data();
  plait::for_each_row(to, [&](const plait::point<3>& first) {
    std::copy_n(from, to.extent(axis::x), target.at(first));
    from += to.extent(axis::x);
  });
}

halo_mpi::halo_mpi(MPI_Comm communicator, problem& p, colour ghosts)
    : faces_(faces_of(p.whole(), p.rank())),
      cells_(p.data().u[index_of(ghosts)]),
      outgoing_(faces_.size()),
      incoming_(faces_.size()),
      requests_(2 * faces_.size(), MPI_REQUEST_NULL) {
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const face& f = faces_[i];
    const std::int64_t values = message_size(cells_, f);
    PLAIT_EXPECTS(values <= INT_MAX, std::to_string(values));  // says the domain
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
    check_mpi(MPI_Recv_init(into.data(), static_cast<int>(values), MPI_DOUBLE, f.peer,
                            f.receive_tag(ghosts), communicator, &requests_[i]),
              "MPI_Recv_init");
    check_mpi(MPI_Send_init(from.data(), static_cast<int>(values), MPI_DOUBLE, f.peer,
                            f.send_tag(ghosts), communicator, &requests_[faces_.size() + i]),
              "MPI_Send_init");
  }
}

halo_mpi::~halo_mpi() {
  for (MPI_Request& one : requests_)
    if (one != MPI_REQUEST_NULL) MPI_Request_free(&one);
}

void halo_mpi::pack() {
  for (std::size_t i = 0; i < faces_.size(); ++i)
    if (!faces_[i].contiguous()) redblack3d::pack(cells_, faces_[i].edge, outgoing_[i]);
}

void halo_mpi::start() {
  if (requests_.empty()) return;  // Open MPI refuses to start none
  check_mpi(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()), "MPI_Startall");
}

bool halo_mpi::test() {
  int done = 0;
  check_mpi(
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
      "MPI_Testall");
  return done != 0;
}

void halo_mpi::wait() {
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
}

void halo_mpi::unpack() {
  for (std::size_t i = 0; i < faces_.size(); ++i)
    if (!faces_[i].contiguous()) redblack3d::unpack(cells_, faces_[i].ghost, incoming_[i]);
}

}  // namespace redblack3d
