// SPDX-License-Identifier: BSD-3-Clause
#include "task/way_to_sends.hpp"

#include <algorithm>
#include <numeric>

namespace plait::detail {
namespace {

using kind = rank_input::kind;
using node_list = std::vector<rank_input>;

[[nodiscard]] bool sends(const rank_input& node) {
  return node.is == kind::send || node.is == kind::exchange;
}
[[nodiscard]] bool receives(const rank_input& node) {
  return node.is == kind::receive || node.is == kind::exchange;
}

struct predecessor {
  std::size_t node;
  bool wraps;  ///< it is of the iteration before
};

[[nodiscard]] std::vector<std::vector<predecessor>> predecessors_of(const node_list& nodes) {
  std::vector<std::vector<predecessor>> result(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t s = 0; s < nodes[i].successors.size(); ++s) {
      result[nodes[i].successors[s]].push_back({i, s >= nodes[i].same});
    }
  }
  return result;
}

[[nodiscard]] std::vector<bool> on_the_way(const node_list& nodes) {
  const auto predecessors = predecessors_of(nodes);
  const auto waits_for_a_receive = [&](std::size_t i) {
    return std::any_of(predecessors[i].begin(), predecessors[i].end(),
                       [&](const predecessor& p) { return receives(nodes[p.node]); });
  };
  std::vector<bool> reached(nodes.size());
  std::vector<std::size_t> open;
  const auto reach = [&](std::size_t i) {
    if (nodes[i].is != kind::task || reached[i]) return;
    reached[i] = true;
    if (!waits_for_a_receive(i)) open.push_back(i);
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!sends(nodes[i])) continue;
    for (const predecessor& p : predecessors[i]) reach(p.node);
  }
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    for (const predecessor& p : predecessors[i]) {
      if (!p.wraps) reach(p.node);
    }
  }
  return reached;
}

/// From the start of each node of one iteration to the end of the next, through a send.
[[nodiscard]] std::vector<ticks> paths_through_sends(const node_list& nodes) {
  constexpr ticks none = -1;
  struct length {
    std::vector<ticks> any;
    std::vector<ticks> with_send;
  };
  length next;
  for (int iteration = 0; iteration < 2; ++iteration) {
    length now{std::vector<ticks>(nodes.size()), std::vector<ticks>(nodes.size(), none)};
    for (std::size_t i = nodes.size(); i-- > 0;) {
      const rank_input& node = nodes[i];
      ticks any = 0;
      ticks with_send = none;
      for (std::size_t s = 0; s < node.successors.size(); ++s) {
        const length& of = s < node.same ? now : next;
        if (of.any.empty()) continue;  // after the last iteration
        any = std::max(any, of.any[node.successors[s]]);
        with_send = std::max(with_send, of.with_send[node.successors[s]]);
      }
      now.any[i] = node.took + any;
      if (sends(node)) {
        now.with_send[i] = now.any[i];
      } else if (with_send != none) {
        now.with_send[i] = node.took + with_send;
      }
    }
    next = std::move(now);
  }
  return next.with_send;
}

}  // namespace

std::vector<bool> goes_first(const node_list& nodes) {
  const std::vector<bool> candidates = on_the_way(nodes);
  ticks all = 0;
  ticks on_way = 0;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].is == kind::task) all += nodes[i].took;
    if (!candidates[i]) continue;
    on_way += nodes[i].took;
    order.push_back(i);
  }
  if (2 * on_way <= all || order.size() < 2) return candidates;

  const std::vector<ticks> path = paths_through_sends(nodes);
  std::stable_sort(order.begin(), order.end(),
                   [&path](std::size_t a, std::size_t b) { return path[a] > path[b]; });
  std::vector<bool> first(nodes.size());
  ticks taken = 0;
  for (const std::size_t i : order) {
    taken += nodes[i].took;
    if (2 * taken > all && i != order.front()) break;
    first[i] = true;
  }
  return first;
}

}  // namespace plait::detail
