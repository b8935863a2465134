// SPDX-License-Identifier: BSD-3-Clause
#include "solution_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <plait/plait.hpp>

#include "kernel.hpp"
#include "measure/gather.hpp"

namespace poisson {

using plait::point;

quality examine(plait::environment& env, problem& p, setting how,
                plait::stencil::halo_mpi& ghosts_of_x) {
  const bool distributed = how == setting::distributed;
  if (distributed) ghosts_of_x.exchange();
  const const_values x = p.block(p.x), r = p.block(p.r), w = p.block(p.w);
  for (const strip& s : p.strips()) multiply(x, p.block(p.w)[s.rows]);
  double residual = 0;
  double drift = 0;
  double shift = 0;
  for_each_cell(p.cells(), [&](const point<3>& cell) {
    const double left = p.right_hand_side(how, cell) - w[cell];
    residual += left * left;
    drift += (left - r[cell]) * (left - r[cell]);
    shift += x[cell] - p.exact(how, cell);
  });
  const auto all = [&](double own) { return distributed ? plait::measure::sum(env, own) : own; };
  quality result{std::sqrt(all(residual)), std::sqrt(all(drift)), 0};
  const bool up_to_a_constant = distributed && p.whole().edge() == boundary::periodic;
  const double cells = static_cast<double>(p.whole().blocks().global().size());
  const double mean = up_to_a_constant ? all(shift) / cells : 0;
  for_each_cell(p.cells(), [&](const point<3>& cell) {
    const double error = std::abs(x[cell] - p.exact(how, cell) - mean);
    // What is no number is infinitely wrong: NaN would be lost in a maximum.
    result.max_error = std::max(
        result.max_error, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
  });
  return result;
}

double drift_bound(const problem& p, setting how, double iterations) {
  const bool periodic = how == setting::distributed && p.whole().edge() == boundary::periodic;
  const double cells = static_cast<double>(
      how == setting::distributed ? p.whole().blocks().global().size() : p.cells().size());
  const double largest = periodic ? 8 : 1;
  return 12 * (iterations + 4) * std::numeric_limits<double>::epsilon() * largest *
         std::sqrt(cells);
}

double error_bound(const problem& p, setting how, double residual, double iterations) {
  return (1.05 * residual + drift_bound(p, how, iterations)) / p.smallest_eigenvalue(how);
}

}  // namespace poisson
