// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: NPB's way, plain MPI.  Transform what is local, exchange everything in one
// blocking all-to-all, transform the rest.
// Variant `ideal`: base with communication switched off, the figure not to exceed.  Each rank
// transforms a field that is 0 on all others: the same work, and a result that can be checked.
#include <memory>
#include <optional>

#include <plait/comm/mpi.hpp>

#include "common/transport.hpp"
#include "measure/mpi_check.hpp"
#include "measure/stepwise.hpp"
#include "variant.hpp"

namespace ft {
namespace {

using plait::activity;
using plait::measure::stopwatch;
using spectral::sign;

/// The passes, and between them the all-to-all, unless each rank is alone.
struct npb_step {
  npb_step(problem& p, MPI_Comm among, setting how) : communicator(among) {
    if (how == setting::isolated) return;
    const spectral::transpose_buffers buffers = p.in_flight.front().buffers();
    to_lines.emplace(communicator,
                     spectral::chunk_map(p.shape(), buffers, spectral::transpose::to_lines));
    to_planes.emplace(communicator,
                      spectral::chunk_map(p.shape(), buffers, spectral::transpose::to_planes));
  }

  static void exchange(std::optional<spectral::whole_transpose>& all, stopwatch& watch) {
    if (!all) return;
    all->exchange();
    watch.lap(activity::exposed, "all-to-all");
  }

  void begun(problem& p, stopwatch& watch) {
    const spectral::slabs& s = p.shape();
    const iteration_memory& memory = p.in_flight.front();
    p.kernel().rows(memory.planes.data(), s.own_z(), sign::forward);
    for (int tile = 0; tile < s.tiles(); ++tile)
      p.kernel().spread_y(memory.planes.data(), memory.buffers(), tile, s.own_z());
    watch.lap(activity::compute, "x and y lines");
    exchange(to_lines, watch);
    for (int tile = 0; tile < s.tiles(); ++tile)
      p.kernel().gather_z(memory.buffers(), p.lines.data(), tile, s.own_y());
    watch.lap(activity::compute, "z lines");
  }

  void operator()(problem& p, stopwatch& watch) {
    const spectral::slabs& s = p.shape();
    const iteration_memory& memory = p.in_flight.front();
    for (int tile = 0; tile < s.tiles(); ++tile)
      p.kernel().spread_z(p.lines.data(), memory.buffers(), tile, s.own_y(), &p.factors());
    watch.lap(activity::compute, "evolve, z lines");
    exchange(to_planes, watch);
    for (int tile = 0; tile < s.tiles(); ++tile)
      p.kernel().gather_y(memory.buffers(), memory.planes.data(), tile, s.own_z());
    p.kernel().rows(memory.planes.data(), s.own_z(), sign::backward);
    const complex mine = p.sum_of(memory.planes.data(), s.own_z());
    watch.lap(activity::compute, "y and x lines");
    complex total = mine;
    if (to_planes)
      plait::measure::check_mpi(
          MPI_Reduce(&mine, &total, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, communicator),
          "MPI_Reduce");
    if (s.rank() == 0) p.sums.push_back(p.checksum(total));
    watch.lap(to_planes ? activity::exposed : activity::compute, "checksum");
  }

  void ended(problem& p, stopwatch&) { p.result = p.in_flight.front().planes.data(); }

  MPI_Comm communicator;
  std::optional<spectral::whole_transpose> to_lines, to_planes;
};

std::unique_ptr<variant> made(plait::environment& env, setting how) {
  return plait::measure::stepwise_of<problem, npb_step>(how, plait::native(env), how);
}

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return made(env, setting::distributed);
}

std::unique_ptr<variant> make_ideal(plait::environment& env) {
  return made(env, setting::isolated);
}

}  // namespace ft
