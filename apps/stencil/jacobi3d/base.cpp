// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI as most people write it.  Exchange all ghosts, then compute everything.
// Variant `ideal`: the same with communication switched off, the figure not to exceed.  Each block
// solves a problem of its own, with a zero boundary where its neighbours would be: the same work on
// data of the same kind, and a result that can be checked.
#include <utility>

#include "halo_pair.hpp"
#include "measure/compare/stepwise.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

using plait::activity;
using plait::measure::stopwatch;

void sweep(problem& p, stopwatch& watch) {
  p.relax(p.cells());
  watch.lap(activity::compute, "sweep");
  std::swap(p.u, p.v);
}

struct base_step {
  base_step(problem& p, MPI_Comm communicator) : halos(p, communicator) {}

  void operator()(problem& p, stopwatch& watch) {
    halos.next().run(watch);
    sweep(p, watch);
  }

  halo_pair halos;
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return plait::measure::stepwise_of<problem, base_step>(setting::distributed, plait::native(env));
}

std::unique_ptr<variant> make_ideal() {
  return plait::measure::stepwise<problem>(sweep, setting::isolated);
}

}  // namespace jacobi3d
