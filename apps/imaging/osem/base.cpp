// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI as most people write it.  Credit the whole image, then MPI_Allreduce.
// Variant `ideal`: base with communication switched off, the figure not to exceed.  Each rank
// reconstructs from its own rays, with their sensitivity: the same work.
#include <memory>

#include <plait/comm/mpi.hpp>

#include "measure/base/mpi_check.hpp"
#include "measure/compare/stepwise.hpp"
#include "variant.hpp"

namespace osem {
namespace {

using plait::activity;

struct update_step {
  update_step(problem&, MPI_Comm among, setting solves) : communicator(among), how(solves) {}

  void operator()(problem& p, plait::measure::stopwatch& watch) {
    if (p.is_list()) {
      p.trace(step);
      watch.lap(activity::compute, "trace");
    }
    p.forward_all(step);
    p.compare_all(step);
    watch.lap(activity::compute, "forward");
    for (int s = 0; s < p.slabs(); ++s) p.credit_slab(step, s);
    watch.lap(activity::compute, "credit");
    if (how == setting::distributed) {
      plait::measure::check_mpi(
          MPI_Allreduce(MPI_IN_PLACE, p.credits.data(), static_cast<int>(p.credits.size()),
                        MPI_INT64_T, MPI_SUM, communicator),
          "MPI_Allreduce");
      watch.lap(activity::exposed, "allreduce");
    }
    for (int s = 0; s < p.slabs(); ++s) p.update_slab(how, step, s);
    watch.lap(activity::compute, "update");
    ++step;
  }

  MPI_Comm communicator;
  setting how;
  int step = 0;
};

std::unique_ptr<variant> made(plait::environment& env, setting how) {
  return plait::measure::stepwise_of<problem, update_step>(how, plait::native(env), how);
}

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return made(env, setting::distributed);
}

std::unique_ptr<variant> make_ideal(plait::environment& env) {
  return made(env, setting::isolated);
}

}  // namespace osem
