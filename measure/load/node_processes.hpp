// SPDX-License-Identifier: BSD-3-Clause
/// Groups a job's processes into nodes, and makes variants that run with one process of each.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <plait/plait.hpp>

#include "measure/compare/comparison.hpp"

namespace plait::measure {

/// `per_node` ranks, one after the other, are a node.  Some variants run with all of them; others
/// with the first of each, its leader, which has the node's cores, while the rest sleep.
class node_processes {
 public:
  /// Errors: usage_error that names --per-node, the same on every rank, if `per_node` is below 1,
  /// does not divide the ranks, or if the ranks of a node are not on one host.
  node_processes(environment& env, int per_node);

  [[nodiscard]] int per_node() const noexcept { return per_node_; }
  [[nodiscard]] int nodes() const noexcept { return env_.size() / per_node_; }
  /// Returns whether this rank is the first of its node.
  [[nodiscard]] bool leads() const noexcept { return env_.rank() % per_node_ == 0; }
  /// Returns the most cores that a leader has for itself.  Collective.
  [[nodiscard]] int cores_of_a_leader() const;

  /// Makes of a leader's variant one that has the node's cores while it is prepared, runs and ends.
  [[nodiscard]] compared_variant with_leaders(compared_variant one) const;
  /// Makes what all others have of it: `attend` makes what is collective, and nothing that needs a
  /// core.
  [[nodiscard]] compared_variant asleep(std::string name,
                                        std::function<std::shared_ptr<void>()> attend) const;
  /// Makes what all others have of a leader's variant of tasks.
  [[nodiscard]] compared_variant asleep_beside_tasks(std::string name) const;

 private:
  // Until the next of these calls, a node's leader has all its cores, or every process has a share.
  void give_cores_to_leaders() const;
  void give_cores_to_all() const;

  environment& env_;
  int per_node_;
};

}  // namespace plait::measure
