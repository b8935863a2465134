// SPDX-License-Identifier: BSD-3-Clause
/// Policies that run with the leader of each node (node_processes.hpp): their problem, a block for
/// each node, beside that of all processes.
#pragma once

#include <optional>

#include <plait/plait.hpp>

#include "measure/comparison.hpp"
#include "node_processes.hpp"
#include "problem.hpp"
#include "variant.hpp"

namespace redblack3d {

class leaders {
 public:
  /// `nodes`: of every node the leader has its block.  Allocates a problem where this rank leads.
  leaders(plait::environment& env, const node_processes& processes, const domain& nodes);

  /// Keeps what `found.u` holds on all processes: these policies must give it, every bit.
  /// Collective.
  void keep_as_reference(const problem& found);

  /// The policy's variant.  Who does not lead makes and ends with the others what is collective,
  /// and has no part in the run.
  [[nodiscard]] plait::measure::compared_variant compared(const policy& how, slow_worker slow,
                                                          int steps);

 private:
  plait::environment& env_;
  const node_processes& processes_;
  plait::decomposition<3> blocks_;
  std::optional<problem> problem_;  ///< where this rank leads
};

}  // namespace redblack3d
