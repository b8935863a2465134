// SPDX-License-Identifier: BSD-3-Clause
#include "plain_mpi.hpp"

#include <plait/comm/mpi.hpp>

#include "rank_sum.hpp"

namespace poisson {

using plait::activity;

plain_mpi::plain_mpi(plait::environment& env, const options& chosen)
    : env_(env), options_(chosen) {}

void plain_mpi::prepare(problem& p) {
  ghosts_.emplace(plait::native(env_), p, p.p, options_.ghosts);
  pw_.assign(p.strips().size(), {});
  bb_ = norm_of_start(env_, p);
}

void plain_mpi::run(problem& p, int steps, const step_range& recorded) {
  c_ = coefficients(bb_, {options_.tolerance, steps});
  reduction_ = 0;
  watch_.start();
  while (!c_.done) {
    watch_.begin_step(static_cast<int>(c_.iterations), recorded);
    turn_and_multiply(p);
    c_.step_length(over_ranks(sum_product(), "sum p·w"));
    c_.next_direction(over_ranks(shorten_all(p), "sum r·r"));
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
                    {"reduction_s", plait::ticks_to_seconds(reduction_)}};
  return report;
}

void plain_mpi::turn_strip(problem& p, const strip& s) const {
  turn(p.block(p.r)[s.rows], p.block(p.x)[s.rows], p.block(p.p)[s.rows], c_);
}

void plain_mpi::multiply_strip(problem& p, std::size_t number) {
  product_of_strip(p.block(p.p), p.block(p.w), p.strips()[number], pw_[number], c_);
}

double plain_mpi::sum_product() const {
  double pw = 0;
  for (const auto& parts : pw_)
    for (const double part : parts) pw += part;
  return pw;
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
  const plait::ticks start = plait::now_ticks();
  const double sum = sum_over_ranks(plait::native(env_), own);
  reduction_ += plait::now_ticks() - start;
  watch_.lap(activity::exposed, name);
  return sum;
}

}  // namespace poisson
