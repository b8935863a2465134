// SPDX-License-Identifier: BSD-3-Clause
#include "collective/tree.hpp"

#include <algorithm>
#include <cstdlib>

namespace plait::collective {

tree star(int ranks, int root, int rank) {
  tree t{.depth = ranks > 1 ? 1 : 0, .first = rank, .last = rank + 1};
  if (rank != root) {
    t.parent.peer = root;
    return t;
  }
  for (int peer = root - 1; peer >= 0; --peer) t.children.push_back({peer, 0, peer, peer + 1});
  for (int peer = root + 1; peer < ranks; ++peer) t.children.push_back({peer, 0, peer, peer + 1});
  t.first = 0;
  t.last = ranks;
  return t;
}

tree binomial_tree(int ranks, int root, int rank) {
  // Run b of level i holds the ranks [b 2^i, (b + 1) 2^i).
  const auto stands_for = [&](int run, int level) {
    return root >> level == run ? root : run << level;
  };
  tree t{.first = rank, .last = rank + 1};
  while (1 << t.depth < ranks) ++t.depth;
  for (int level = 0; level < t.depth; ++level) {
    const int other = (rank >> level) ^ 1;
    const int first = other << level;
    if (first >= ranks) continue;
    const edge to_other{stands_for(other, level), level, first,
                        std::min(first + (1 << level), ranks)};
    if (stands_for(other >> 1, level + 1) != rank) {
      t.parent = to_other;
      break;
    }
    t.children.push_back(to_other);
    t.first = std::min(t.first, to_other.first);
    t.last = std::max(t.last, to_other.last);
  }
  return t;
}

tree two_chains(int ranks, int root, int rank) {
  tree t{.depth = std::max(root, ranks - 1 - root), .first = rank, .last = rank + 1};
  const int distance = std::abs(rank - root);
  if (rank != root) {
    t.parent = {.peer = rank < root ? rank + 1 : rank - 1, .round = t.depth - distance};
  }
  if (rank <= root && rank > 0) {
    t.first = 0;
    t.children.push_back({rank - 1, t.depth - distance - 1, 0, rank});
  }
  if (rank >= root && rank + 1 < ranks) {
    t.last = ranks;
    t.children.push_back({rank + 1, t.depth - distance - 1, rank + 1, ranks});
  }
  return t;
}

tree ring_chain(int ranks, int root, int rank) {
  tree t{.depth = ranks - 1};
  const int distance = (rank - root + ranks) % ranks;
  if (distance > 0) {
    t.parent = {.peer = (rank + ranks - 1) % ranks, .round = t.depth - distance};
  }
  if (distance + 1 < ranks) {
    t.children.push_back({.peer = (rank + 1) % ranks, .round = t.depth - distance - 1});
  }
  return t;
}

}  // namespace plait::collective
