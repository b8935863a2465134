// SPDX-License-Identifier: BSD-3-Clause
#include "task_variant.hpp"

#include "measure/compare/steps_of_run.hpp"
#include "next_batch.hpp"

namespace poisson {

plait::measure::task_steps task_variant::steps_of(problem& p) {
  bb_ = square(p.block(p.r), p.strips());
  if (solves() == setting::distributed)
    bb_ = plait::measure::sum_over_ranks(plait::native(env_), bb_);
  allocate(p);
  return {.tasks = plait::measure::most_recorded,
          .submit = [this, &p](plait::runtime& rt, int) { submit_iteration(rt, p); }};
}

void task_variant::advance(plait::measure::task_run& run, problem& p, int steps) {
  c_ = coefficients(bb_, {solves() == setting::isolated ? 0 : options_.tolerance, steps});
  begins();
  while (!c_.done)
    run.advance(plait::measure::next_batch({.first = bb_,
                                            .now = c_.rr,
                                            .enough = c_.enough_rr,
                                            .done = c_.iterations,
                                            .most = c_.most}));
  submit_end(run.tasks(), p);
  run.tasks().wait();
  ends();
}

void task_variant::look_at(std::span<const plait::trace_event> events) {
  waited_for_sums_s_ = plait::measure::waited_for_s(events, "sum");
}

void task_variant::add_to(run_report& report) {
  report.figures["reduction_s"] = waited_for_sums_s_ / report.workers;
  report.figures["iterations"] = static_cast<double>(c_.iterations);
  report.figures["residual"] = c_.residual_norm();
  reports(report);
}

}  // namespace poisson
