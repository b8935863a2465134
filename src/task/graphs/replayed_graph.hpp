// SPDX-License-Identifier: BSD-3-Clause
/// A recorded graph: how its dependences are found, and the state of running it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// Why one counter for each task is enough, though iterations overlap.  Every edge p -> s comes
/// from a conflict, and two tasks that conflict alternate strictly through all iterations: with p
/// before s in the order of submission, p(k) runs before s(k) (an edge, or a path), and s(k) before
/// p(k+1) (an edge that wraps, or a path); the other way round likewise.  So p releases s for
/// iteration k+1 only after s has run for k, and s runs for k+1 only after all its successors have
/// been released for k.  Hence whatever lowers the counter of s between two of its runs belongs to
/// the next run; whoever brings it to zero sets it up again, before s can run, and nobody else
/// touches it until s has released others.
///
/// Why a replay may begin with what wraps already met: the predecessors of a task whose edges wrap
/// have no run before its first.  What is left are the predecessors of its own iteration.  The last
/// iteration meets what wraps, too, and so leaves the counters as the next replay needs them.  Of
/// the tasks after it, those that follow none of their iteration would run: they are not released.
///
/// Why a task need not precede itself: if any p -> s exists, s(k+1) follows p(k+1) or, where the
/// edge wraps, p(k), and that follows s(k).  Only one without predecessors gets an edge to itself.
///
/// With one worker, whoever is neither that worker nor waits for it may only complete messages.  So
/// compute tasks that precede a task are counted apart (`own_unmet`), by the worker alone and
/// without locked instructions, 8 ns each; all of them together count one in `unmet`, beside the
/// messages that precede the task.  The worker sets its count up again when it reaches zero: who
/// lowers it next does so for the task's next run.  Tasks of a resource count like messages.
///
/// Why edges that skip an iteration need not be kept: a conflict has a writer, which conflicts with
/// itself in the iteration between.  Why an edge from p to a later s that wraps need not: there is
/// p(k) -> s(k) -> s(k+1) already, by way of the edges that are kept: s(k) precedes the next run
/// of its predecessor by a path with one wrap, which leads from a later task to an earlier one.
/// Edges that follow from others are dropped (implied_edges.hpp): what precedes what stays.
class replayed_graph {
 public:
  replayed_graph() = default;
  ~replayed_graph();
  replayed_graph(const replayed_graph&) = delete;
  replayed_graph& operator=(const replayed_graph&) = delete;

  // Recording: the submitting thread
  // -----------------------------------------------------------------
  [[nodiscard]] task_node& add_node(const char* name, node_kind kind);
  void add_access(const task_node& node, const strided_bytes& memory, access_mode mode,
                  const void* operation);
  /// `is_settled`: no task in flight may move the elements before the first replay.
  void add_container(const task_node& node, const container& c, byte_range elements,
                     bool is_settled, access_mode mode, const void* operation);
  /// Adds a container whose elements an operation has taken at their present place: nothing may
  /// move them, tasks of the graph neither.  `named_by`: "send 'edge'".
  void add_fixed(std::string named_by, const container& c);
  /// Finds the edges.  `one_worker` runs all compute tasks.  Errors: usage_error for a task that
  /// cannot be run again.
  void close(bool measured_priorities, bool one_worker);

  // Replaying
  // ----------------------------------------------------------------------------------------
  /// Errors: usage_error when an access names other bytes than it did when recorded.
  void check_containers();
  /// Tasks of the graph may resize containers: they are as the last replay has left them.  When it
  /// has ended.
  void adopt_containers();
  /// Makes every task wait for its predecessors in the first of `iterations`.
  void begin(std::uint64_t iterations, std::uint64_t first_id) noexcept;
  [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }
  /// Returns the iteration, from 0, that the task runs next or is in.  Any thread.
  [[nodiscard]] std::uint64_t iteration_of(const task_node& node) const noexcept {
    return (node.id.load(std::memory_order_relaxed) - first_id_) / tasks_each_;
  }
  /// Calls `launch(task)` for each that waits for nothing in the first iteration, after `begin`.
  void start(auto launch) {
    active_.store(static_cast<std::int64_t>(first_.size()), std::memory_order_relaxed);
    for (task_node* node : first_) launch(*node);
  }
  /// Samples a run, and takes over the urgency that follows from all.  Before it ends: nobody else
  /// touches the node then.
  void ranks(task_node& node) noexcept {
    recorded_task& task = *node.recorded;
    const bool is_last = are_ranked_.load(std::memory_order_acquire);
    if (task.is_sampled()) sampled(task);
    node.urgency = task.urgency.load(std::memory_order_relaxed);
    if (is_last) node.care &= static_cast<std::uint8_t>(~task_node::ranked);
  }
  /// Ends a run of `node`: calls `released(task)` for each successor, in this iteration and the
  /// next, that waits for nothing more.  After a failure (`releases` false) nothing is released,
  /// so that the replay ends with what is running.  Returns whether the replay is over.
  ///
  /// `active_` counts this node until the last line; of the nodes it makes ready the last takes
  /// over its count.  The node may run again once the last of its successors has been met.
  /// `own`: the node is `unshared`.
  [[gnu::always_inline, nodiscard]] bool finish(task_node& node, bool own, bool releases,
                                                auto released) {
    const recorded_task& task = *node.recorded;
    task_node* last_met = nullptr;
    if (releases) {
      // Whoever makes the node ready next is told so by its successors, or theirs.
      const std::uint64_t id = node.id.load(std::memory_order_relaxed);
      node.id.store(id + task.tasks_each, std::memory_order_relaxed);
      task_node* const* s = task.successors;
      for (task_node* const* const end = task.end; s != end; ++s) {
        task_node& successor = **s;
        if (!meet(successor, own)) continue;
        if (last_met != nullptr) [[unlikely]] {
          active_.fetch_add(1, std::memory_order_relaxed);
          released(*last_met);
        }
        last_met = &successor;
      }
    }
    if (!releases) has_stopped_.store(true, std::memory_order_relaxed);
    if (last_met == nullptr) return active_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    released(*last_met);
    return false;
  }

  /// Sets of which operation a task is a step (`submitted_part::item`); `group_of` is 0 else.
  void set_group(const recorded_task& task, std::uint32_t group) { groups_[task.index] = group; }
  [[nodiscard]] std::uint32_t group_of(const recorded_task& task) const {
    const auto found = groups_.find(task.index);
    return found == groups_.end() ? 0 : found->second;
  }

  std::uint64_t belongs_to = 0;  ///< the scheduler that recorded it, by its serial number

  [[nodiscard]] std::deque<task_node>& nodes() noexcept { return nodes_; }
  [[nodiscard]] const std::deque<task_node>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t compute_tasks() const noexcept { return compute_tasks_; }
  [[nodiscard]] std::size_t edges() const noexcept { return successors_.size(); }

 private:
  /// A dependence of `node` is met; `own`: by a task that is `unshared`.  Returns whether it
  /// was the last one: then the node is set up for its next run, and the caller makes it ready.
  [[gnu::always_inline]] bool meet(task_node& node, bool own) noexcept {
    const recorded_task& task = *node.recorded;
    if (own) {
      if (--node.own_unmet != 0) return false;
      node.own_unmet = task.own_predecessors;
      if (task.is_met_plainly) [[likely]]
        return true;
    }
    if (!own || task.predecessors != 1) {
      if (!node.meet_one()) return false;
      node.unmet.store(task.predecessors, std::memory_order_relaxed);
    }
    return !task.opens || node.id.load(std::memory_order_relaxed) < first_id_of_next_;
  }
  /// Sets the counters of all nodes up for a first iteration.
  void set_up() noexcept;
  /// Notes how long `task` ran.  By the thread that finishes it, before it meets its successors:
  /// nobody else touches its node then.
  void sampled(recorded_task& task) noexcept {
    const std::int64_t this_run = std::exchange(task.this_run, 0);
    ++task.samples;
    if (task.samples == 1) return;  // caches were cold
    task.took = task.samples == 2 ? this_run : std::min(task.took, this_run);
    if (task.is_sampled() || unsampled_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    rank();
    are_ranked_.store(true, std::memory_order_release);
  }

  struct recorded_access {
    std::uint32_t task;
    access_mode mode;
    strided_bytes memory;
    const void* operation;
  };
  struct recorded_container {
    std::string named_by;
    container it;
    /// Place of the elements when the access was recorded, or after a replay that has changed it;
    /// none: their place when the first replay begins.
    std::optional<byte_range> elements;
    bool is_written;  ///< by this task; once closed, by one of the graph
    bool is_fixed;
  };

  [[nodiscard]] access_mode mode_in_every_iteration(const recorded_access& access) const;
  void rank() noexcept;

  /// Nodes that are ready or running; the replay is over when there is none.
  alignas(128) std::atomic<std::int64_t> active_{0};
  std::deque<task_node> nodes_;  // neither moves
  std::deque<recorded_task> tasks_;
  std::unordered_map<std::uint32_t, std::uint32_t> groups_;  // by task; of a recording only
  std::vector<recorded_access> accesses_;
  std::vector<task_node*> successors_;
  std::vector<task_node*> first_;  ///< those that follow none of their iteration
  std::vector<recorded_container> containers_;
  std::atomic<std::size_t> unsampled_{0};  // tasks that have not run often enough
  std::atomic<bool> are_ranked_{false};
  std::size_t compute_tasks_ = 0;
  std::uint64_t tasks_each_ = 1;  ///< nodes of an iteration: a deque takes 20 instructions to count
  std::uint64_t iterations_ = 0;
  std::uint64_t first_id_ = 0;
  std::uint64_t first_id_of_next_ = 0;    ///< of what comes after the last iteration
  std::atomic<bool> has_stopped_{false};  ///< after a failure, which may have left any counts
};

}  // namespace plait::detail
