// SPDX-License-Identifier: BSD-3-Clause
#include "task/dependences/shadow_tracker.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "task/graphs/replayed_graph.hpp"

namespace plait::detail {
namespace {

[[nodiscard]] submitted_part::kind kind_of_item(const task_node& node) noexcept {
  return node.kind == node_kind::compute ? submitted_part::kind::task
                                         : submitted_part::kind::message;
}

}  // namespace

/// Returns the place of the new item, or nothing once there is no room.
std::optional<shadow_tracker::place> shadow_tracker::add(const submitted_part::item& what) {
  if (items_ == submitted_part::most_items) is_full_ = true;
  if (is_full_) {
    part_.is_whole = false;
    return std::nullopt;
  }
  ++items_;
  const auto at = static_cast<place>(part_.items.size());
  part_.items.push_back(what);
  task_node& shadow = nodes_.emplace_back();
  shadow.id.store(at + 1U, std::memory_order_relaxed);
  shadow.successors.store(nullptr, std::memory_order_relaxed);  // unfinished, for ever
  if (what.parent == 0 && last_wait_.has_value()) part_.orders.push_back({*last_wait_, at});
  return at;
}

void shadow_tracker::program_ran(ticks took) {
  const std::lock_guard lock(mutex_);
  owed_ += std::max<ticks>(0, took);
  if (owed_ < shortest_spell_) return;
  const auto at = add({.name = "the program",
                       .took = std::exchange(owed_, 0),
                       .is = submitted_part::kind::program});
  if (at.has_value()) last_wait_ = at;
}

void shadow_tracker::begins(const task_node& node, std::uint64_t parent, std::uint32_t group) {
  if (node.recorded != nullptr) return;  // it is told with its replays
  const std::lock_guard lock(mutex_);
  const auto at = add({.name = node.name,
                       .id = node.id.load(std::memory_order_relaxed),
                       .parent = parent,
                       .is = kind_of_item(node),
                       .group = group});
  if (at.has_value()) {
    open_[&node] = *at;
  } else {
    open_.erase(&node);
  }
}

void shadow_tracker::declares(const task_node& node, const strided_bytes& memory, access_mode mode,
                              const void* operation) {
  if (node.recorded != nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(&node);
  if (found == open_.end()) return;
  const access_mode ordered = mode == access_mode::commutative ? access_mode::inout : mode;
  const std::uint64_t parent = part_.items[found->second].parent;
  constexpr std::size_t small_cache = 16;
  const std::size_t cache = parent == 0 ? dependence_tracker::usual_cache : small_cache;
  dependence_tracker& among = trackers_.try_emplace(parent, cache).first->second;
  among.add_box(nodes_[found->second], memory, ordered, operation);
}

void shadow_tracker::program_waits_for(const task_node& node) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(&node);
  if (found != open_.end()) last_wait_ = found->second;
}

void shadow_tracker::ran(const task_node& node) {
  const auto priority = static_cast<std::uint8_t>(node.urgency);
  const std::lock_guard lock(mutex_);
  if (node.recorded != nullptr) {
    const std::size_t at = node.recorded->index;
    if (at < part_.repeated.size()) part_.repeated[at].priority = priority;
  } else if (const auto found = open_.find(&node); found != open_.end()) {
    part_.items[found->second].priority = priority;
  }
}

/// Tasks that take turns do so in the order of submission.
void shadow_tracker::replay_begins(const replayed_graph& graph, std::uint64_t first_id) {
  const std::lock_guard lock(mutex_);
  const std::size_t count = graph.nodes().size();
  const std::uint64_t room = submitted_part::most_with_iterations - with_iterations_;
  if (is_full_ || graph.iterations() > room / count) {
    is_full_ = true;
    part_.is_whole = false;
    return;
  }
  with_iterations_ += graph.iterations() * count;
  part_.iterations = graph.iterations();
  part_.first_id = first_id;
  std::map<const exclusion*, std::vector<place>> turns;
  for (const task_node& node : graph.nodes()) {
    const recorded_task& task = *node.recorded;
    part_.repeated.push_back(
        {.name = node.name, .is = kind_of_item(node), .group = graph.group_of(task)});
    for (std::uint32_t s = 0; s < task.all(); ++s) {
      auto& orders = s < task.same ? part_.same : part_.next;
      orders.push_back({task.index, task.successors[s]->recorded->index});
    }
    if (node.exclusions == nullptr) continue;
    for (const auto& one : *node.exclusions) turns[one.get()].push_back(task.index);
  }
  for (const auto& [_, those] : turns) {
    for (std::size_t i = 1; i < those.size(); ++i) part_.same.push_back({those[i - 1], those[i]});
    part_.next.push_back({those.back(), those.front()});
  }
}

/// Reads the edges that the trackers have made.
void shadow_tracker::add_orders() {
  for (place i = 0; i < nodes_.size(); ++i) {
    for (const edge* e = nodes_[i].successors.load(std::memory_order_relaxed); e != nullptr;
         e = e->next) {
      const auto id = e->successor->id.load(std::memory_order_relaxed);
      part_.orders.push_back({i, static_cast<place>(id - 1)});
    }
  }
  std::sort(part_.orders.begin(), part_.orders.end());
  part_.orders.erase(std::unique(part_.orders.begin(), part_.orders.end()), part_.orders.end());
}

void shadow_tracker::all_finished() {
  submitted_part whole;
  {
    const std::lock_guard lock(mutex_);
    if (part_.items.empty() && part_.repeated.empty() && part_.is_whole) return;
    add_orders();
    whole = std::exchange(part_, {});
    trackers_.clear();  // they name the nodes
    nodes_.clear();
    open_.clear();
    last_wait_.reset();
  }
  told_.submitted(std::move(whole));
}

}  // namespace plait::detail
