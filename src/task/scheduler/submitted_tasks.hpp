// SPDX-License-Identifier: BSD-3-Clause
/// The tasks that the program submits: their nodes, how many may be in flight, and what each of
/// them must follow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <plait/task/detail/dependence_tracker.hpp>
#include <plait/task/detail/node.hpp>

#include "task/scheduler/crew.hpp"

namespace plait::detail {

/// The submitting thread's own.
class submitted_tasks {
 public:
  /// `threads`: of which each gives nodes back, and counts what is no longer in flight.
  submitted_tasks(crew& threads, std::size_t limit) : threads_(threads), limit_(limit) {}

  /// Returns true if there was no room for a task when the counts were read last.
  [[nodiscard]] bool is_full() const noexcept { return last_id_ >= last_with_room_; }
  /// Returns true if `take` finds a free node.
  [[nodiscard]] bool has_free() const noexcept { return free_ != nullptr; }
  /// Reads the counts; returns how many tasks there is room for.
  [[nodiscard]] std::size_t room() noexcept {
    peak_ = peak();
    count_out(threads_.total(&counters::tasks) + threads_.total(&counters::uncounted));
    return limit_ - in_flight();
  }
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  [[nodiscard]] std::size_t peak() const noexcept { return std::max(peak_, in_flight()); }
  [[nodiscard]] bool all_finished() const noexcept {
    return threads_.total(&counters::tasks) + threads_.total(&counters::finished) == submitted();
  }

  /// Has a free node, of those that others have given back or a new one.
  void provide_free();
  /// Returns a node for a new task.  Precondition: there is room, and a free one.
  [[nodiscard]] task_node& take(const char* name, node_kind kind) noexcept {
    task_node& node = *std::exchange(free_, free_->next_free);
    if (!is_one_) [[unlikely]]
      task_node::prefetch_to_submit(free_);
    prepare(node, ++last_id_, name, kind, is_one_);
    return node;
  }
  /// Gives its node to what has begun without one.  Ends the process where there is no memory:
  /// nobody could follow what is under way.  Precondition: something has.
  void give_node_to_begun() noexcept {
    begun_operation& one = *std::exchange(begun, nullptr);
    one.add_node(one);
  }
  /// Takes the node of a finished task back at once.
  void give_back(task_node& node) noexcept { node.next_free = std::exchange(free_, &node); }
  /// A replay counts as one.  Returns the id of the first of its `tasks`, `at_once` of which may
  /// be in flight.
  [[nodiscard]] std::uint64_t add_replay(std::uint64_t tasks, std::size_t at_once) noexcept {
    peak_ = std::max(peak(), at_once);
    ids_without_task_ += tasks - 1;
    const std::uint64_t first = std::exchange(last_id_, last_id_ + tasks) + 1;
    count_out(submitted());
    return first;
  }

  /// Makes a free node ready for a new life.  `one_worker`: no other runs tasks.
  static void prepare(task_node& node, std::uint64_t id, const char* name, node_kind kind,
                      bool one_worker) noexcept;
  /// Ends the submission of a node, whose accesses are known.  Returns true if nothing that it
  /// waits for is unfinished.
  [[nodiscard]] static bool is_ready(task_node& node) noexcept;

  template <class Use>
  void for_each_node(Use use) const {
    for (const auto& block : blocks_) {
      for (std::size_t i = 0; i < nodes_per_block; ++i) use(block[i]);
    }
  }

  dependence_tracker tracker;
  task_node* open = nullptr;         ///< between allocate and submit
  begun_operation* begun = nullptr;  ///< that has no node and goes on
  bool has_node_of_begun = false;    ///< `scheduler::node_of_begun` was called by this start

 private:
  static constexpr std::size_t nodes_per_block = 64;

  /// Returns how many tasks, and replays.
  [[nodiscard]] std::uint64_t submitted() const noexcept { return last_id_ - ids_without_task_; }
  [[nodiscard]] std::size_t in_flight() const noexcept { return submitted() - uncounted_; }
  void count_out(std::uint64_t nodes) noexcept {
    uncounted_ = nodes;
    last_with_room_ = ids_without_task_ + uncounted_ + limit_;
  }

  crew& threads_;
  const bool is_one_ = threads_.is_one();
  const std::size_t limit_;
  std::vector<std::unique_ptr<task_node[]>> blocks_;
  task_node* free_ = nullptr;
  std::uint64_t last_id_ = 0;
  std::uint64_t ids_without_task_ = 0;     ///< of replays, but for one each
  std::uint64_t uncounted_ = 0;            ///< of `submitted`, when the counts were read last
  std::uint64_t last_with_room_ = limit_;  ///< id
  std::size_t peak_ = 0;                   ///< until then
};

[[gnu::noinline]] inline void submitted_tasks::provide_free() {
  if (free_ != nullptr) return;
  threads_.collect([this](task_node* list) {
    if (free_ == nullptr) {
      free_ = list;
      return;
    }
    while (list != nullptr) {
      task_node& node = *list;
      list = list->next_free;
      give_back(node);
    }
  });
  if (free_ != nullptr) return;
  blocks_.push_back(std::make_unique<task_node[]>(nodes_per_block));
  for (std::size_t i = 0; i < nodes_per_block; ++i) give_back(blocks_.back()[i]);
}

inline bool submitted_tasks::is_ready(task_node& node) noexcept {
  // Nobody else knows the node, or lowers its count: no atomic read-modify-write needed.
  if (node.edges_made == 0 || !node.is_met_elsewhere) return node.edges_made == 0;
  const std::int32_t guard = task_node::submission_guard - node.edges_made;
  return node.unmet.fetch_sub(guard, std::memory_order_acq_rel) == guard;
}

inline void submitted_tasks::prepare(task_node& node, std::uint64_t id, const char* name,
                                     node_kind kind, bool one_worker) noexcept {
  const bool is_task = kind == node_kind::compute;
  node.id.store(id, std::memory_order_relaxed);
  node.name = name;
  node.successors.store(nullptr, std::memory_order_relaxed);
  // In the order in which they lie, so that one instruction writes several.
  node.is_met_elsewhere = false;
  node.ends_with_care = false;
  node.is_told = false;
  node.where = 0;
  node.edges_made = 0;
  node.urgency = priority::normal;
  node.care = is_task ? 0 : task_node::elsewhere;
  node.kind = kind;
  node.is_child = false;
  node.unshared = one_worker && is_task;
  node.uncounted = false;
  node.trivial = is_task;
}

}  // namespace plait::detail
