// SPDX-License-Identifier: BSD-3-Clause
/// Which of a job's processes make a node, and which of them a policy runs with.
#pragma once

#include <plait/plait.hpp>

#include "policy.hpp"

namespace redblack3d {

/// `per_node` ranks, one after the other, are a node.  Policies of a single tier run with all of
/// them; the others with the first of each, its leader, whose block is the node's, while the rest
/// sleep.
class node_processes {
 public:
  /// Errors: usage_error, the same on every rank, if `per_node` is below 1, does not divide the
  /// ranks, or if the ranks of a node are not on one host.
  node_processes(const plait::environment& env, int per_node);

  [[nodiscard]] int per_node() const noexcept { return per_node_; }
  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  [[nodiscard]] bool leads(int rank) const noexcept { return rank % per_node_ == 0; }
  /// Returns whether a process of a policy is a whole node of several.
  [[nodiscard]] bool leaders_only(const policy& how) const noexcept {
    return per_node_ > 1 && !how.single_tier();
  }

  /// Who shares the cores of a node from now on; at first all its ranks.
  void give_cores_to_leaders(plait::environment& env) const;
  static void give_cores_to_all(plait::environment& env);

 private:
  int per_node_;
  int nodes_;
};

}  // namespace redblack3d
