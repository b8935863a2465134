// SPDX-License-Identifier: BSD-3-Clause
/// Finds the dependences of a recorded iteration that follow from others.  Arithmetic on place
/// numbers.
#pragma once

#include <cstddef>
#include <vector>

namespace plait::detail {

/// For each node of an iteration, in the order of submission: its successors, ascending; those in
/// the next iteration are counted on, from the number of nodes.
using successor_lists = std::vector<std::vector<std::size_t>>;

/// Drops successors that are reached by way of others.  [Aho, Garey, Ullman 1972: the transitive
/// reduction of an acyclic graph is unique]  Whoever finishes a task pays for each of its
/// successors in every iteration; where cells are written and then read by neighbours, that each
/// reader precedes the next writer follows, most often, from what the readers' readers do.
///
/// A way from a node to one of the same or of the next iteration leads through these two alone, so
/// two of them are enough to look at.
///
/// `stays[i]`: no edge from node i is dropped.  Graphs of more than `most_nodes` are left as
/// they are.  Cost: edges x nodes / 32 words.
void drop_implied_edges(successor_lists& successors, const std::vector<bool>& stays);

inline constexpr std::size_t most_nodes_to_reduce = 2048;

}  // namespace plait::detail
