// SPDX-License-Identifier: BSD-3-Clause
/// Tells whether what a run has left behind solves the problem.
#pragma once

#include <plait/plait.hpp>

#include "common/halo_mpi.hpp"
#include "problem.hpp"

namespace poisson {

/// Holds x against the solution: no cell is more than `error` off.  And b - A x, computed afresh,
/// against r, which is what the iteration takes for it: they are at most `drift` apart, Euclidean,
/// over all cells of the problem.  Uses p.w and the ghosts of p.x.  `ghosts_of_x`: its exchange.
/// Collective.
[[nodiscard]] plait::measure::verdict examine(plait::environment& env, problem& p, setting how,
                                              plait::stencil::halo_mpi& ghosts_of_x, double error,
                                              double drift);

/// Returns what rounding may make of the drift in so many iterations: each adds to r what A x in
/// doubles is off, a few roundings of terms that are at most |A| = 12 times the largest |x| a cell;
/// |x| does not exceed |x*|.  [Greenbaum 1997]
[[nodiscard]] double drift_bound(const problem& p, setting how, double iterations);

/// max |x - x*| <= |x - x*| <= |b - A x| / the smallest eigenvalue.
[[nodiscard]] double error_bound(const problem& p, setting how, double residual, double iterations);

}  // namespace poisson
