// SPDX-License-Identifier: BSD-3-Clause
/// The trees of the rooted operations, seen from one rank: who passes data to whom, and when.
#pragma once

#include <vector>

namespace plait::collective {

/// A neighbour in the tree.
struct edge {
  int peer = -1;
  int round = 0;  ///< on the way up; on the way down it is the one as long before the end
  /// A child: the ranks of its subtree, [first, last).
  int first = 0;
  int last = 0;
};

/// On the way up, children are taken in the order listed.  Except in `ring_chain`, every subtree is
/// a run of consecutive ranks, and so is the rank with any number of its first children: what a
/// child passes on belongs directly to the left or the right of what its parent has.
struct tree {
  int depth = 0;     ///< rounds
  edge parent = {};  ///< peer -1: the root
  std::vector<edge> children = {};
  int first = 0;  ///< the own subtree
  int last = 0;

  [[nodiscard]] bool is_root() const noexcept { return parent.peer < 0; }
};

/// The root with all others as leaves.
[[nodiscard]] tree star(int ranks, int root, int rank);
/// In round i, neighbouring runs of 2^i ranks become one: [0, 2^i) and [2^i, 2^(i+1)) and so on. Of
/// the two ranks that stand for them, the root stays, else the lower one.  For root 0 the usual
/// tree; for others not a rotated one, whose subtrees would go round from the last rank to rank 0.
[[nodiscard]] tree binomial_tree(int ranks, int root, int rank);
/// From rank 0 and from the last rank towards the root.
[[nodiscard]] tree two_chains(int ranks, int root, int rank);
/// One path: root, root + 1, ..., last, 0, ..., root - 1.  Its subtrees have no `first` and `last`.
[[nodiscard]] tree ring_chain(int ranks, int root, int rank);

}  // namespace plait::collective
