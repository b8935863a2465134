// SPDX-License-Identifier: BSD-3-Clause
#include "solution_check.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "kernel.hpp"
#include "measure/base/gather.hpp"

namespace poisson {

using plait::point;
using plait::stencil::for_each_cell_row;

plait::measure::verdict examine(plait::environment& env, problem& p, setting how,
                                plait::stencil::halo_mpi& ghosts_of_x, double error, double drift) {
  const bool distributed = how == setting::distributed;
  if (distributed) ghosts_of_x.exchange();
  const const_values x = p.block(p.x), r = p.block(p.r), w = p.block(p.w);
  multiply(x, p.block(p.w)[p.cells()]);
  double squares = 0;
  double shift = 0;
  for_each_cell(p.cells(), [&](const point<3>& cell) {
    const double apart = p.right_hand_side(how, cell) - w[cell] - r[cell];
    squares += apart * apart;
    shift += x[cell] - p.exact(how, cell);
  });
  const auto all = [&](double own) { return distributed ? plait::measure::sum(env, own) : own; };
  const double apart = std::sqrt(all(squares));
  // The solution of a periodic grid is known but for a constant.
  const double mean = p.is_periodic(how) ? all(shift) / static_cast<double>(p.grid(how).size()) : 0;
  plait::stencil::judgement judged{env.rank(), error};
  for_each_cell_row(x, p.cells(), [&](const plait::stencil::cell_row& row) {
    point<3> cell = row.first;
    for (std::int64_t i = 0; i < row.cells; ++i, ++cell[plait::axis::x])
      judged.hold(row, i, p.exact(how, cell) + mean);
  });
  plait::measure::verdict found = judged.found;
  if (found.verified && !(apart <= drift))
    found = {false, found.max_error,
             fmt::format("rank {}: b - A x and r are {:.3g} apart, more than {:.3g}", env.rank(),
                         apart, drift)};
  return found;
}

double drift_bound(const problem& p, setting how, double iterations) {
  const double largest = p.is_periodic(how) ? 8 : 1;
  return 12 * (iterations + 4) * std::numeric_limits<double>::epsilon() * largest *
         std::sqrt(static_cast<double>(p.grid(how).size()));
}

double error_bound(const problem& p, setting how, double residual, double iterations) {
  return (1.05 * residual + drift_bound(p, how, iterations)) / p.smallest_eigenvalue(how);
}

}  // namespace poisson
