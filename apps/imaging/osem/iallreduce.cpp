// SPDX-License-Identifier: BSD-3-Clause
// Variant `iallreduce`: the library's MPI_Iallreduce, tested.  The sum of a slab starts when it is
// final, and the library is looked after between later slabs; all sums end before the update.  Of
// a list, the next subset's paths are traced meanwhile, which do not depend on the image.
#include <memory>
#include <optional>

#include <plait/comm/mpi.hpp>

#include "measure/compare/timeline.hpp"
#include "slab_sums.hpp"
#include "variant.hpp"

namespace osem {
namespace {

using plait::activity;

class iallreduce final : public variant {
 public:
  explicit iallreduce(plait::environment& env) : sums_(plait::native(env)) {}

  void prepare(problem& p) override { sums_.prepare(p); }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    if (p.is_list()) p.trace(0);
    watch_.lap(activity::compute, "trace");
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      p.forward_all(step);
      p.compare_all(step);
      watch_.lap(activity::compute, "forward");
      for (int s = 0; s < p.slabs(); ++s) {
        p.credit_slab(step, s);
        watch_.lap(activity::compute, "credit");
        sums_.start(p, s);
        sums_.look();
        watch_.lap(activity::posting, "start and look");
      }
      if (p.is_list() && step + 1 < steps) trace_next(p, step + 1);
      for (int s = 0; s < p.slabs(); ++s) {
        sums_.wait(s, watch_);
        p.update_slab(setting::distributed, step, s);
        watch_.lap(activity::compute, "update");
      }
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void trace_next(problem& p, int step) {
    for (std::size_t b = 0; b < p.blocks(step).size(); ++b) {
      p.trace(p.blocks(step)[b], p.paths(step)[b]);
      watch_.lap(activity::compute, "trace");
      sums_.look();
      watch_.lap(activity::posting, "look");
    }
  }

  slab_sums sums_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_iallreduce(plait::environment& env) {
  return std::make_unique<iallreduce>(env);
}

}  // namespace osem
