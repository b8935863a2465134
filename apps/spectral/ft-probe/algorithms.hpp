// SPDX-License-Identifier: BSD-3-Clause
/// Algorithms 3 to 5, and what their time goes to.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "common/carrier.hpp"
#include "measure/probe/part_watch.hpp"
#include "points.hpp"
#include "problem.hpp"

namespace ft_probe {

using spectral::carrier;

/// The paper's timers [sections 6.2 and 6.3].
enum part : std::size_t {
  local_computation,  ///< lines 3, 5 and 6 of Algorithms 3, 4 and 5
  comm_init,          ///< line 7
  comm_sync,          ///< line 11
  barrier,            ///< line 13
};
inline constexpr std::array<std::string_view, 4> part_names{"local_computation_s", "comm_init_s",
                                                            "comm_sync_s", "barrier_s"};

/// Runs one algorithm once, and returns what its time went to by `part`.  The barrier of line 1 is
/// the caller's.  Collective.
[[nodiscard]] plait::measure::part_watch run_algorithm(const point& which, problem& p, carrier& by);

/// Sends this rank's block for its right neighbour as fast as it goes, in the pieces of `which`, at
/// most about 8 MiB, while the left neighbour does so here: a bidirectional flood [section 7.2].
/// Returns G, in seconds a byte; 0 on one rank.  Collective, after a barrier.
[[nodiscard]] double flood(plait::environment& env, const point& which, problem& p, carrier& by);

}  // namespace ft_probe
