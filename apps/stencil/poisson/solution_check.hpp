// SPDX-License-Identifier: BSD-3-Clause
/// Tells whether what a run has left behind solves the problem.
#pragma once

#include <plait/plait.hpp>

#include "common/halo_mpi.hpp"
#include "problem.hpp"

namespace poisson {

/// Norms are Euclidean, over all cells of the problem, the same on every rank where it is
/// distributed.
struct quality {
  double residual = 0;   ///< |b - A x|
  double drift = 0;      ///< |(b - A x) - r|: r is what the iteration takes for the residual
  double max_error = 0;  ///< largest |x - x*|, of this rank
};

/// Uses p.w and the ghosts of p.x.  `ghosts_of_x`: its exchange.  Collective.
[[nodiscard]] quality examine(plait::environment& env, problem& p, setting how,
                              plait::stencil::halo_mpi& ghosts_of_x);

/// Returns what rounding may make of `drift` in so many iterations: each adds to r what A x in
/// doubles is off, a few roundings of terms that are at most |A| = 12 times the largest |x| a cell;
/// |x| does not exceed |x*|.  [Greenbaum 1997]
[[nodiscard]] double drift_bound(const problem& p, setting how, double iterations);

/// max |x - x*| <= |x - x*| <= |b - A x| / the smallest eigenvalue.
[[nodiscard]] double error_bound(const problem& p, setting how, double residual, double iterations);

}  // namespace poisson
