// SPDX-License-Identifier: BSD-3-Clause
#include "task/graphs/way_to_sends.hpp"

#include <algorithm>
#include <utility>

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

/// Upper limit of visits while the ways to the single sends are found, for each node of the graph.
constexpr std::size_t most_visits_a_task = 64;

struct predecessor {
  std::size_t node;
  bool wraps;  ///< it is of the iteration before
};

/// The tasks on the way to a send, and to which.
class ways {
 public:
  explicit ways(const node_list& nodes)
      : nodes_(nodes), predecessors_(nodes.size()), waits_for_a_receive_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t s = 0; s < nodes[i].successors.size(); ++s) {
        const std::size_t to = nodes[i].successors[s];
        predecessors_[to].push_back({i, s >= nodes[i].same});
        if (receives(nodes[i])) waits_for_a_receive_[to] = true;
      }
    }
  }

  /// Returns the tasks on the way to any of the sends.
  [[nodiscard]] std::vector<std::size_t> to(const std::vector<std::size_t>& these_sends) const {
    std::vector<bool> reached(nodes_.size());
    std::vector<std::size_t> result;
    std::vector<std::size_t> open;
    const auto reach = [&](std::size_t i) {
      if (nodes_[i].is != kind::task || reached[i]) return;
      reached[i] = true;
      result.push_back(i);
      if (!waits_for_a_receive_[i]) open.push_back(i);
    };
    for (const std::size_t send : these_sends) {
      for (const predecessor& p : predecessors_[send]) reach(p.node);
    }
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      for (const predecessor& p : predecessors_[i]) {
        if (!p.wraps) reach(p.node);
      }
    }
    return result;
  }

 private:
  const node_list& nodes_;
  std::vector<std::vector<predecessor>> predecessors_;
  std::vector<bool> waits_for_a_receive_;
};

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

/// Takes tasks as long as they stay within half of the computation.
class half {
 public:
  explicit half(const node_list& nodes) : nodes_(nodes), taken_(nodes.size()) {
    for (const rank_input& one : nodes) all_ += one.is == kind::task ? one.took : 0;
  }

  /// Takes the tasks if they fit, or `anyway`.  Returns false if they do not.
  bool take(const std::vector<std::size_t>& tasks, bool anyway = false) {
    ticks more = 0;
    for (const std::size_t i : tasks) more += taken_[i] ? 0 : nodes_[i].took;
    if (2 * (sum_ + more) > all_ && !anyway) return false;
    sum_ += more;
    for (const std::size_t i : tasks) taken_[i] = true;
    return true;
  }
  /// Returns true if the taken tasks are less than a hundredth of the computation.
  [[nodiscard]] bool has_next_to_nothing() const { return 100 * sum_ < all_; }
  [[nodiscard]] std::vector<bool> taken() && { return std::move(taken_); }

 private:
  const node_list& nodes_;
  std::vector<bool> taken_;
  ticks all_ = 0;
  ticks sum_ = 0;
};

/// The ways to the single sends with their work, those of least work first; none where finding them
/// would take long.
[[nodiscard]] auto by_work(const node_list& nodes, const ways& lead,
                           const std::vector<std::size_t>& sends) {
  std::size_t effort = nodes.size() * most_visits_a_task;
  std::vector<std::pair<ticks, std::vector<std::size_t>>> found;
  for (const std::size_t send : sends) {
    if (nodes.size() > effort) return decltype(found){};
    effort -= nodes.size();
    std::vector<std::size_t> way = lead.to({send});
    ticks work = 0;
    for (const std::size_t i : way) work += nodes[i].took;
    found.emplace_back(work, std::move(way));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return found;
}

}  // namespace

std::vector<bool> goes_first(const node_list& nodes) {
  std::vector<std::size_t> all_sends;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (sends(nodes[i])) all_sends.push_back(i);
  }
  const ways lead(nodes);
  std::vector<std::size_t> candidates = lead.to(all_sends);
  half first(nodes);
  if (first.take(candidates)) return std::move(first).taken();

  for (const auto& [work, way] : by_work(nodes, lead, all_sends)) {
    if (!first.take(way)) break;
  }
  if (!first.has_next_to_nothing()) return std::move(first).taken();

  const std::vector<ticks> path = paths_through_sends(nodes);
  std::sort(candidates.begin(), candidates.end());
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&path](std::size_t a, std::size_t b) { return path[a] > path[b]; });
  first.take({candidates.front()}, true);
  for (const std::size_t i : candidates) {
    if (!first.take({i})) break;
  }
  return std::move(first).taken();
}

}  // namespace plait::detail
