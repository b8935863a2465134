// SPDX-License-Identifier: BSD-3-Clause
// Variant `ideal`: base with communication switched off, the figure not to exceed.  Each rank
// reconstructs from its own rays, with their sensitivity: the same work.
#include <memory>

#include "measure/timeline.hpp"
#include "variant.hpp"

namespace osem {
namespace {

using plait::activity;

class ideal final : public variant {
 public:
  [[nodiscard]] setting solves() const noexcept override { return setting::isolated; }

  void prepare(problem&) override {}

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      if (p.is_list()) {
        p.trace(step);
        watch_.lap(activity::compute, "trace");
      }
      p.forward_all(step);
      p.compare_all(step);
      watch_.lap(activity::compute, "forward");
      for (int s = 0; s < p.slabs(); ++s) p.credit_slab(step, s);
      watch_.lap(activity::compute, "credit");
      for (int s = 0; s < p.slabs(); ++s) p.update_slab(setting::isolated, step, s);
      watch_.lap(activity::compute, "update");
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_ideal() {
  return std::make_unique<ideal>();
}

}  // namespace osem
