// SPDX-License-Identifier: BSD-3-Clause
#include "plain_mpi.hpp"

#include <numeric>

#include <plait/comm/mpi.hpp>

#include "measure/base/rank_sum.hpp"

namespace poisson {
namespace {

using plait::activity;
using plait::measure::sum_over_ranks;

}  // namespace

void plain_mpi::prepare(problem& p) {
  pw_.assign(3 * p.strips().size(), 0);
  if (solves() == setting::isolated) return;
  ghosts_ = plait::stencil::make_exchange(plait::native(env_), p.p, options_.ghosts);
  bb_ = sum_over_ranks(plait::native(env_), square(p.block(p.r), p.strips()));
}

void plain_mpi::run(problem& p, int steps, const step_range& recorded) {
  const bool is_isolated = solves() == setting::isolated;
  c_ = coefficients(bb_, {is_isolated ? 0 : options_.tolerance, steps});
  reduction_ = {};
  watch_.start();
  while (!c_.done) {
    watch_.begin_step(static_cast<int>(c_.iterations), recorded);
    turn_and_multiply(p);
    c_.step_length(over_ranks(std::accumulate(pw_.begin(), pw_.end(), 0.0), "sum p·w"));
    if (is_isolated) c_.alpha = slow_alpha;
    c_.next_direction(over_ranks(shorten_all(p), "sum r·r"));
    if (is_isolated) c_.beta = slow_beta;
  }
  for (const strip& s : p.strips()) catch_up(p.block(p.p)[s.rows], p.block(p.x)[s.rows], c_);
  watch_.lap(activity::compute, "catch up");
  (void)watch_.stop();
}

run_report plain_mpi::finish(problem&) {
  ghosts_.reset();
  run_report report = watch_.report();
  report.figures = {{"iterations", static_cast<double>(c_.iterations)},
                    {"residual", c_.residual_norm()},
                    {"reduction_s", reduction_.seconds()}};
  return report;
}

double plain_mpi::shorten_all(problem& p) {
  double rr = 0;
  for (const strip& s : p.strips()) {
    double own = 0;
    shorten(p.block(p.w)[s.rows], p.block(p.r)[s.rows], own, c_);
    rr += own;
  }
  watch_.lap(activity::compute, "shorten");
  return rr;
}

double plain_mpi::over_ranks(double own, const char* name) {
  if (solves() == setting::isolated) return own;
  double sum = 0;
  reduction_.measure([&] { sum = sum_over_ranks(plait::native(env_), own); });
  watch_.lap(activity::exposed, name);
  return sum;
}

}  // namespace poisson
