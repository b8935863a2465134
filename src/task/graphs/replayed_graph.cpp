// SPDX-License-Identifier: BSD-3-Clause
#include "task/graphs/replayed_graph.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/task/detail/dependence_tracker.hpp>
#include <plait/task/graph.hpp>

#include "task/graphs/implied_edges.hpp"
#include "task/graphs/way_to_sends.hpp"

namespace plait {
namespace detail {
namespace {

[[nodiscard]] rank_input::kind kind_of(const task_node& node) {
  if (node.kind == node_kind::compute) return rank_input::kind::task;
  switch (node.exchanges) {
    case traffic::sends:
      return rank_input::kind::send;
    case traffic::receives:
      return rank_input::kind::receive;
    case traffic::both:
      break;
  }
  return rank_input::kind::exchange;
}

}  // namespace

replayed_graph::~replayed_graph() {
  for (task_node& node : nodes_) {
    if (node.act != nullptr) node.act(node, node_action::destroy);
  }
}

std::uint64_t iteration_of(const task_node& node) noexcept {
  return node.recorded == nullptr ? 0 : node.recorded->graph->iteration_of(node);
}

task_node& replayed_graph::add_node(const char* name, node_kind kind) {
  recorded_task& task = tasks_.emplace_back();
  task.graph = this;
  task.index = static_cast<std::uint32_t>(nodes_.size());
  task_node& node = nodes_.emplace_back();
  node.name = name;
  node.kind = kind;
  node.recorded = &task;
  node.care = kind == node_kind::asynchronous ? task_node::elsewhere : task_node::lengthy;
  compute_tasks_ += kind == node_kind::compute ? 1 : 0;
  return node;
}

void replayed_graph::add_access(const task_node& node, const strided_bytes& memory,
                                access_mode mode, const void* operation) {
  accesses_.push_back({node.recorded->index, mode, memory.normalised(), operation});
}

void replayed_graph::add_container(const task_node& node, const container& c, byte_range elements,
                                   bool is_settled, access_mode mode, const void* operation) {
  add_access(node, strided_bytes::of(c.own()), mode, operation);
  if (!c.holds(elements)) add_access(node, strided_bytes::of(elements), mode, operation);
  const bool is_written = mode != access_mode::in && mode != access_mode::reduce;
  containers_.push_back({std::string("task '") + node.name + "'", c, {}, is_written, false});
  if (is_settled) containers_.back().elements = elements;
}

void replayed_graph::add_fixed(std::string named_by, const container& c) {
  containers_.push_back({std::move(named_by), c, c.elements(), false, true});
}

/// Reductions share a range as long as nobody has cut it, which may be so in one iteration and not
/// in the next.  Where others touch a part of it they take turns, so that what conflicts does so in
/// every iteration.
access_mode replayed_graph::mode_in_every_iteration(const recorded_access& access) const {
  if (access.mode != access_mode::reduce) return access.mode;
  const auto cuts = [&access](const recorded_access& other) {
    return other.memory != access.memory && share_a_byte(other.memory, access.memory);
  };
  return std::ranges::any_of(accesses_, cuts) ? access_mode::inout : access.mode;
}

/// Submits two iterations of nodes that never run to a tracker of their own, and reads the edges it
/// makes: those within the first iteration, and those from it to the second.
void replayed_graph::close(bool measured_priorities, bool one_worker) {
  const std::size_t count = nodes_.size();
  for (task_node& node : nodes_) {
    if (!node.recorded->repeatable) {
      throw usage_error(std::string("task '") + node.name +
                        "' is given a value that cannot be copied, so it cannot run again; pass it "
                        "by in(), out() or inout(), or submit the task without recording");
    }
    node.unshared = one_worker && node.kind == node_kind::compute && node.where == 0;
  }

  std::unordered_set<const void*> written;
  for (const recorded_container& one : containers_) {
    if (one.is_written) written.insert(one.it.object);
  }
  for (recorded_container& one : containers_) one.is_written = written.contains(one.it.object);

  for (recorded_access& access : accesses_) access.mode = mode_in_every_iteration(access);
  std::vector<task_node> shadows(2 * count);
  dependence_tracker tracker;
  for (std::size_t iteration = 0; iteration < 2; ++iteration) {
    for (std::size_t i = 0; i < count; ++i) {
      task_node& shadow = shadows[iteration * count + i];
      shadow.id.store(iteration * count + i + 1, std::memory_order_relaxed);
      shadow.successors.store(nullptr, std::memory_order_relaxed);
    }
    for (const recorded_access& access : accesses_) {
      tracker.add_box(shadows[iteration * count + access.task], access.memory, access.mode,
                      access.operation);
    }
  }
  // Of both iterations: commutative tasks that other tasks keep apart in one iteration may meet
  // across the end of it.
  for (std::size_t i = 0; i < 2 * count; ++i) {
    auto& all = nodes_[i % count].exclusions;
    auto& some = shadows[i].exclusions;
    if (some == nullptr) continue;
    if (all != nullptr) some->insert(some->end(), all->begin(), all->end());
    std::sort(some->begin(), some->end());
    some->erase(std::unique(some->begin(), some->end()), some->end());
    all = std::move(some);
  }

  const auto predecessors_of = [this](std::size_t predecessor, std::size_t of) -> std::int32_t& {
    recorded_task& task = tasks_[of];
    return nodes_[predecessor].unshared ? task.own_predecessors : task.predecessors;
  };
  const auto successors_of = [&](std::size_t i) {
    std::vector<std::size_t> found;
    for (const edge* e = shadows[i].successors.load(std::memory_order_relaxed); e != nullptr;
         e = e->next) {
      found.push_back(static_cast<std::size_t>(e->successor - shadows.data()));
    }
    std::sort(found.begin(), found.end());  // the order of submission
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  };
  successor_lists places;
  std::vector<bool> is_message;
  for (std::size_t i = 0; i < count; ++i) {
    auto& those = places.emplace_back(successors_of(i));
    std::erase_if(those, [&](std::size_t s) { return s >= count + i; });
    is_message.push_back(nodes_[i].kind == node_kind::asynchronous);
  }
  // When priorities are measured, a task that waits for a message directly counts as such, and a
  // task that a send waits for directly only where no task in between does (goes_first): the end of
  // an iteration, which reads what a collective wrote, precedes the next one by way of what feeds
  // it.
  drop_implied_edges(places, is_message);
  std::vector<bool> follows(count);  // one of its iteration
  std::size_t all_successors = count;
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::size_t s : places[i]) {
      if (s < count) follows[s] = true;
      ++predecessors_of(i, s % count);
    }
    all_successors += places[i].size();
  }
  successors_.reserve(all_successors);
  for (std::size_t i = 0; i < count; ++i) {
    recorded_task& task = tasks_[i];
    if (task.predecessors + task.own_predecessors == 0) {
      places[i].push_back(count + i);
      ++predecessors_of(i, i);
    }
    if (!follows[i]) first_.push_back(&nodes_[i]);
    task.predecessors += task.own_predecessors > 0 ? 1 : 0;
    task.successors = successors_.data() + successors_.size();
    for (const std::size_t s : places[i]) {
      task.same += s < count ? 1 : 0;
      successors_.push_back(&nodes_[s % count]);
    }
    task.end = successors_.data() + successors_.size();
    task.tasks_each = static_cast<std::uint32_t>(count);
    task.opens = !follows[i];
    task.is_met_plainly = follows[i] && task.own_predecessors > 0 && task.predecessors == 1;
  }
  set_up();
  for (std::size_t i = 0; i < count; ++i) {
    tasks_[i].urgency.store(nodes_[i].urgency, std::memory_order_relaxed);
    if (nodes_[i].exclusions != nullptr) nodes_[i].care |= task_node::excluding;
    if (measured_priorities) {
      nodes_[i].care |= task_node::ranked;
    } else {
      tasks_[i].samples = recorded_task::enough_samples;
    }
  }
  unsampled_.store(count, std::memory_order_relaxed);
  tasks_each_ = std::max<std::size_t>(1, count);
  accesses_ = {};
}

/// Called once, by whoever finishes the last of the samples; all of them happened before.
void replayed_graph::rank() noexcept try {
  std::vector<rank_input> input;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const recorded_task& task = tasks_[i];
    rank_input& one = input.emplace_back();
    one.is = kind_of(nodes_[i]);
    one.took = std::max<ticks>(0, task.took);
    for (std::uint32_t s = 0; s < task.all(); ++s) {
      one.successors.push_back(task.successors[s]->recorded->index);
    }
    one.same = task.same;
  }
  const std::vector<bool> first = goes_first(input);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (first[i] && !tasks_[i].urgency_given) {
      tasks_[i].urgency.store(priority::high, std::memory_order_relaxed);
    }
  }
} catch (const std::bad_alloc&) {
  // The order of submission is as right as any.
}

void replayed_graph::check_containers() {
  for (recorded_container& one : containers_) {
    const byte_range now = one.it.elements();
    if (one.elements.value_or(now) != now) {
      throw usage_error(one.named_by +
                        " names a container that has moved or changed its size since it was "
                        "recorded; record the graph again");
    }
    one.elements = now;
  }
}

void replayed_graph::adopt_containers() {
  for (recorded_container& one : containers_) {
    if (one.is_written && !one.is_fixed) one.elements = one.it.elements();
  }
}

void replayed_graph::begin(std::uint64_t iterations, std::uint64_t first_id) noexcept {
  iterations_ = iterations;
  first_id_ = first_id;
  first_id_of_next_ = first_id + iterations * tasks_each_;
  if (has_stopped_.exchange(false, std::memory_order_relaxed)) set_up();
  for (task_node& node : nodes_) node.id.store(first_id++, std::memory_order_relaxed);
}

/// In the first iteration nothing wraps: as if one before it had met those successors.
void replayed_graph::set_up() noexcept {
  for (task_node& node : nodes_) {
    node.unmet.store(node.recorded->predecessors, std::memory_order_relaxed);
    node.own_unmet = node.recorded->own_predecessors;
  }
  for (const task_node& node : nodes_) {
    const recorded_task& task = *node.recorded;
    for (std::uint32_t s = task.same; s < task.all(); ++s) meet(*task.successors[s], node.unshared);
  }
}

}  // namespace detail

graph::graph(std::shared_ptr<detail::replayed_graph> self) noexcept : self_(std::move(self)) {}
graph::graph(graph&&) noexcept = default;
graph& graph::operator=(graph&&) noexcept = default;
graph::~graph() = default;

std::size_t graph::tasks() const noexcept {
  return recorded().compute_tasks();
}
std::size_t graph::messages() const noexcept {
  return recorded().nodes().size() - recorded().compute_tasks();
}
std::size_t graph::dependences() const noexcept {
  return recorded().edges();
}

detail::replayed_graph& graph::recorded() const noexcept {
  PLAIT_EXPECTS(self_ != nullptr, "the graph was moved from");
  return *self_;
}

void graph::for_each_message(const std::function<void(detail::task_node&)>& visit) const {
  for (detail::task_node& node : recorded().nodes()) {
    if (node.kind == detail::node_kind::asynchronous) visit(node);
  }
}

}  // namespace plait
