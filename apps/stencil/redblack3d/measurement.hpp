// SPDX-License-Identifier: BSD-3-Clause
/// One session: all policies and what they are held against, in turns, and the result of it.
#pragma once

#include <optional>
#include <vector>

#include <plait/plait.hpp>

#include "domain.hpp"
#include "measure/session_options.hpp"
#include "node_processes.hpp"
#include "variant.hpp"

namespace redblack3d {

struct options {
  std::vector<policy> policies;
  /// Means without outliers, as the paper has them, instead of medians.
  bool kelp_means = false;
  slow_worker slow;
};

/// The grid, divided among all processes and, where policies run with the leaders of nodes, among
/// nodes.
struct domains {
  domain processes;
  std::optional<domain> nodes;       ///< of every node the leader has its block
  plait::process_grid<3> node_grid;  ///< chosen, whether or not there is a domain of nodes
};

/// Measures all policies and what they are held against, in turns, and writes the result.  Returns
/// the exit code.  Collective.
[[nodiscard]] int measure(plait::environment& env, const domains& whole,
                          const node_processes& processes, const options& chosen,
                          const plait::measure::session_options& wanted);

}  // namespace redblack3d
