// SPDX-License-Identifier: BSD-3-Clause
/// Algorithms 3 to 5, and what their time goes to.
#pragma once

#include "carrier.hpp"
#include "points.hpp"

namespace ft_probe {

/// Seconds of one rank, by the paper's timers.
struct breakdown {
  double total_s = 0;
  double computation_s = 0;  ///< Local Computation: lines 3, 5 and 6 of Algorithms 3, 4 and 5
  double comm_init_s = 0;    ///< Comm Init: line 7
  double comm_sync_s = 0;    ///< Comm Sync: line 11
  double barrier_s = 0;      ///< Barrier: line 13
};

/// Runs one algorithm once.  The barrier of line 1 is the caller's.  Collective.
[[nodiscard]] breakdown run_algorithm(const point& which, problem& p, carrier& by);

/// Sends this rank's block for its right neighbour as fast as it goes, in the pieces of `which`, at
/// most about 8 MiB, while the left neighbour does so here: a bidirectional flood [section 7.2].
/// Returns G, in seconds a byte; 0 on one rank.  Collective, after a barrier.
[[nodiscard]] double flood(plait::environment& env, const point& which, problem& p, carrier& by);

}  // namespace ft_probe
