// SPDX-License-Identifier: BSD-3-Clause
// Variant `olap`: plain MPI with the overlap written by hand, at both ends.  The sum of a slab
// starts when it is final; the next subset's forward projection begins with the slabs that have
// come, and the library is looked after between slabs.
#include <memory>

#include <plait/comm/mpi.hpp>

#include "measure/compare/timeline.hpp"
#include "slab_sums.hpp"
#include "variant.hpp"

namespace osem {
namespace {

using plait::activity;

class olap final : public variant {
 public:
  explicit olap(plait::environment& env) : sums_(plait::native(env)) {}

  void prepare(problem& p) override { sums_.prepare(p); }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    if (p.is_list()) p.trace(0);
    watch_.lap(activity::compute, "trace");
    p.forward_all(0);
    watch_.lap(activity::compute, "forward");
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      p.compare_all(step);
      watch_.lap(activity::compute, "compare");
      for (int s = 0; s < p.slabs(); ++s) {
        p.credit_slab(step, s);
        watch_.lap(activity::compute, "credit");
        sums_.start(p, s);
        look();
      }
      if (p.is_list() && step + 1 < steps) trace_next(p, step + 1);
      for (int s = 0; s < p.slabs(); ++s) take(p, step, s, step + 1 < steps);
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void look() {
    sums_.look();
    watch_.lap(activity::posting, "look");
  }

  void take(problem& p, int step, int slab, bool goes_on) {
    sums_.wait(slab, watch_);
    p.update_slab(setting::distributed, step, slab);
    watch_.lap(activity::compute, "update");
    if (!goes_on) return;
    p.forward_slab(step + 1, slab);
    watch_.lap(activity::compute, "forward");
    look();
  }

  void trace_next(problem& p, int step) {
    for (std::size_t b = 0; b < p.blocks(step).size(); ++b) {
      p.trace(p.blocks(step)[b], p.paths(step)[b]);
      watch_.lap(activity::compute, "trace");
      look();
    }
  }

  slab_sums sums_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_olap(plait::environment& env) {
  return std::make_unique<olap>(env);
}

}  // namespace osem
