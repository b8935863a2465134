// SPDX-License-Identifier: BSD-3-Clause
#include "task/checked/stale_accesses.hpp"

#include <algorithm>
#include <utility>

#include <plait/task/access_error.hpp>

#include "task/graphs/replayed_graph.hpp"

namespace plait::detail {
namespace {

[[nodiscard]] bool is_done(const node_ref& one) {
  return one.unfinished() == nullptr;
}

}  // namespace

void stale_accesses::begin(task_node& node) {
  stale_.erase(&node);
  if (node.is_child || node.recorded != nullptr) return;
  if (in_flight_.size() >= prune_at_) {
    std::erase_if(in_flight_, is_done);
    prune_at_ = std::max<std::size_t>(64, 2 * in_flight_.size());
  }
  in_flight_.emplace_back(node);
}

void stale_accesses::add_container(const task_node& node, const container& c) {
  if (node.recorded != nullptr) return;
  known_place& known = places_[c.object];
  std::erase_if(known.users, is_done);
  // What its parent has done to it before is the parent's own affair.
  if (known.users.empty() || node.is_child) known.elements = c.elements();
  if (!node.is_child) known.users.emplace_back(const_cast<task_node&>(node));
}

void stale_accesses::record(const std::shared_ptr<replayed_graph>& graph) {
  std::erase_if(graphs_, [](const auto& one) { return one.expired(); });
  graphs_.push_back(graph);
}

void stale_accesses::begin_replay(const replayed_graph& graph) {
  for (const task_node& node : graph.nodes()) {
    expect_live(node);
    for (const declared_access& one : declared_.at(&node)) {
      if (one.elements_of.has_value())
        places_[one.elements_of->object] = {one.elements_of->elements(), {}};
    }
  }
}

/// Notes that tasks which name some of `gone` for good must not run.
void stale_accesses::lose(byte_range gone, const task_node* by, const char* how) {
  const auto look_at = [&](const task_node& node) {
    if (&node == by || stale_.contains(&node)) return;
    for (const declared_access& one : declared_.at(&node)) {
      if (one.elements_of.has_value() || !share_a_byte(one.memory, strided_bytes::of(gone)))
        continue;
      const bool is_message = node.kind == node_kind::asynchronous;
      std::string text = (is_message ? "message " : "task ") + quoted(node.name) +
                         " names memory as its access " + std::to_string(one.place) + " that ";
      text += by != nullptr ? "task " + quoted(by->name) : "the program";
      text += std::string(" has ") + how + " since";
      text += node.recorded != nullptr ? " it was recorded" : " it was submitted";
      if (is_message && node.recorded == nullptr) {  // the engine may have it already
        fail_(std::make_exception_ptr(access_error(text)));
      }
      stale_[&node] = {std::move(text), node.recorded != nullptr};
      return;
    }
  };
  for (const node_ref& one : in_flight_) {
    if (const task_node* node = one.unfinished()) look_at(*node);
  }
  for (const auto& one : graphs_) {
    const auto graph = one.lock();
    if (graph == nullptr) continue;
    for (const task_node& node : graph->nodes()) look_at(node);
  }
}

range_list stale_accesses::collect_freed(const task_node* by) {
  range_list freed = freed_.take();
  for (const byte_range& one : freed) lose(one, by, "freed");
  return freed;
}

range_list stale_accesses::collect_moved(const task_node& node) {
  range_list left;
  for (const declared_access& one : declared_.at(&node)) {
    if (!one.elements_of.has_value() || !writes(one.mode)) continue;
    const byte_range now = one.elements_of->elements();
    const byte_range before = std::exchange(places_[one.elements_of->object].elements, now);
    for (const byte_range& gone : without(joined({before}), joined({now}))) {
      lose(gone, &node, "moved or removed");
      left.push_back(gone);
    }
  }
  return left;
}

void stale_accesses::expect_live(const task_node& node) const {
  const auto found = stale_.find(&node);
  if (found != stale_.end()) throw access_error(found->second.text);
  for (const declared_access& one : declared_.at(&node)) {
    if (!one.elements_of.has_value()) continue;
    const auto known = places_.find(one.elements_of->object);
    if (known == places_.end() || one.elements_of->elements() == known->second.elements) continue;
    throw access_error("task " + quoted(node.name) + " names a container as its access " +
                       std::to_string(one.place) +
                       " that the program has moved or resized while tasks that name it were in "
                       "flight (std::swap, an assignment, push_back); wait first, or let a task do "
                       "so");
  }
}

void stale_accesses::forget() {
  in_flight_.clear();
  places_.clear();
  std::erase_if(stale_, [](const auto& one) { return !one.second.is_recorded; });
}

}  // namespace plait::detail
