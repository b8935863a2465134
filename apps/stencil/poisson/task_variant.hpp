// SPDX-License-Identifier: BSD-3-Clause
/// Describes what the variants as tasks share: an iteration, recorded once, is replayed until a
/// task says `done`; and the account of it.
#pragma once

#include <span>

#include "kernel.hpp"
#include "measure/base/rank_sum.hpp"
#include "measure/compare/task_variant.hpp"
#include "variant.hpp"

namespace poisson {

class task_variant : public plait::measure::task_variant<problem> {
 public:
  task_variant(plait::environment& env, const options& chosen)
      : plait::measure::task_variant<problem>(env, chosen.runtime), options_(chosen) {}

 protected:
  /// Makes what tasks refer to.
  virtual void allocate(problem& p) = 0;
  virtual void submit_iteration(plait::runtime& rt, problem& p) = 0;
  /// After the last iteration.
  virtual void submit_end(plait::runtime&, problem&) {}
  /// Are called where a run begins and ends, and when its runtime has ended.
  virtual void begins() {}
  virtual void ends() {}
  virtual void reports(run_report&) {}

  const options options_;
  coefficients c_;

 private:
  plait::measure::task_steps steps_of(problem& p) final;
  void advance(plait::measure::task_run& run, problem& p, int steps) final;
  void look_at(std::span<const plait::trace_event> events) final;
  void add_to(run_report& report) final;

  double bb_ = 0;
  double waited_for_sums_s_ = 0;  ///< of all workers
};

}  // namespace poisson
