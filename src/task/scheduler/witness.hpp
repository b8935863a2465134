// SPDX-License-Identifier: BSD-3-Clause
/// Everything that looks on while tasks are submitted and run.
#pragma once

#include <memory>

#include <plait/core/clock.hpp>
#include <plait/task/detail/dependence_tracker.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/task_observer.hpp>

#include "task/checked/access_checker.hpp"
#include "task/dependences/shadow_tracker.hpp"
#include "task/graphs/replayed_graph.hpp"
#include "task/scheduler/family.hpp"
#include "task/scheduler/resource_threads.hpp"
#include "task/scheduler/worker.hpp"

namespace plait::detail {

/// The checker of accesses, the recording of graphs with the sampling of their tasks, and whoever
/// traces.  The scheduler tells each step here, once; most find nobody there.
class witness {
 public:
  witness(bool checks, stale_accesses::report fail)
      : checker_(checks ? std::make_unique<access_checker>(std::move(fail)) : nullptr) {}

  /// Null unless accesses are checked.
  [[nodiscard]] access_checker* checker() const noexcept { return checker_.get(); }
  void observe(task_observer* observer) {
    if (shadow_ != nullptr) shadow_->all_finished();
    observer_ = observer;
    const bool shadows = observer != nullptr && observer->wants_dependences();
    shadow_ = shadows ? std::make_unique<shadow_tracker>(*observer) : nullptr;
    watches_submission_ = checker_ != nullptr || shadow_ != nullptr;
  }

  // --- Submission -------------------------------------------------------------------------------
  /// Returns whether somebody traces: the program's own time, too, is to be known then.
  [[nodiscard]] bool has_observer() const noexcept { return observer_ != nullptr; }
  /// Returns whether each submission is to be told.
  [[nodiscard]] bool is_watching() const noexcept {
    return watches_submission_ || observer_ != nullptr;
  }
  void program_ran(ticks from, ticks to) const {
    if (observer_ == nullptr) return;
    observer_->program_ran(from, to);
    if (shadow_ != nullptr) shadow_->program_ran(to - from);
  }
  /// Begins the steps of one operation of the program, by number; 0: of none.
  void group(std::uint32_t number) noexcept { group_ = number; }
  void submission_begins(task_node& node) const {
    if (watches_submission_) [[unlikely]]
      begins_watched(node);
  }
  /// Returns whether accesses are to be told.
  [[nodiscard]] bool watches_submission() const noexcept { return watches_submission_; }
  /// Tells an access.  Returns true if dependences are found now, not when the graph is closed.
  template <class Memory>
  [[nodiscard]] bool declares(task_node& node, const Memory& memory, access_mode mode,
                              const void* operation) const {
    if (watches_submission_) [[unlikely]]
      declares_watched(node, as_strided(memory), mode, operation);
    if (node.recorded == nullptr) return true;
    node.recorded->graph->add_access(node, as_strided(memory), mode, operation);
    return false;
  }
  /// Tells an access to a container.  Returns as `declares` does.
  [[nodiscard]] bool declares(task_node& node, const container& c, dependence_tracker& tracker,
                              access_mode mode, const void* operation) const {
    if (watches_submission_) [[unlikely]]
      declares_watched(node, c, tracker.elements_of(c), mode, operation);
    if (node.recorded == nullptr) return true;
    node.recorded->graph->add_container(node, c, tracker.elements_of(c), tracker.is_settled(c),
                                        mode, operation);
    return false;
  }
  /// The program waits for a task of its own: what it submits later begins after that.
  void program_waits_for(const task_node& node) const {
    if (shadow_ != nullptr) shadow_->program_waits_for(node);
  }
  /// A task submits another until `child_submitted`.
  void child_begins() const noexcept {
    if (checker_ != nullptr) checker_->pause();
  }
  void child_submitted() const noexcept {
    if (checker_ != nullptr) checker_->unpause();
  }
  void recorded(const std::shared_ptr<replayed_graph>& graph) const {
    if (checker_ != nullptr) checker_->record(graph);
  }
  /// Errors: access_error when memory that the graph names is gone.
  void expect_live(const replayed_graph& graph) const {
    if (checker_ != nullptr) checker_->expect_live(graph);
  }
  void replay_begins(replayed_graph& graph, std::uint64_t first_id) const {
    if (checker_ != nullptr) checker_->add_replayed(graph, first_id);
    if (observer_ != nullptr)
      observer_->replay_began(first_id, graph.nodes().size(), graph.iterations());
    if (shadow_ != nullptr) shadow_->replay_begins(graph, first_id);
  }
  /// All tasks have finished.
  void all_finished() const {
    if (checker_ != nullptr) checker_->forget();
    if (shadow_ != nullptr) shadow_->all_finished();
  }

  // --- Tasks and messages.  Their threads -------------------------------------------------------
  /// Returns whether `ran` is to be told the times of this one.
  [[nodiscard]] bool wants_times(const task_node& node) const noexcept {
    return observer_ != nullptr || is_sampled(node);
  }
  void ran(const worker& w, task_node& node, ticks begin, ticks end) const {
    if (is_sampled(node)) node.recorded->this_run += end - begin;
    if (shadow_ != nullptr) shadow_->ran(node);
    if (observer_ != nullptr) observer_->task_ran(w.index, node.name, id_of(node), begin, end);
  }
  /// Errors: access_error when memory that the message names is gone; asked by a worker only.
  void message_begins(const task_node& node, const worker* w) const {
    if (is_sampled(node)) node.recorded->this_run = -now_ticks();
    if (checker_ == nullptr) return;
    if (w != nullptr) checker_->expect_live(node);
    checker_->began_elsewhere(node);
  }
  void message_ended(const task_node& node) const {
    if (is_sampled(node)) node.recorded->this_run += now_ticks();
    if (checker_ != nullptr) checker_->ended_elsewhere(node);
  }
  /// The function has returned, and others finish the task: they may use what it declares.
  void held_begins(const task_node& node) const {
    if (checker_ != nullptr) checker_->began_elsewhere(node, true);
  }
  /// `w` finishes the task.
  void held_ended(task_node& node, const worker& w, ticks begin, ticks end) const {
    if (is_sampled(node)) node.recorded->this_run += end - begin;
    if (checker_ != nullptr) checker_->ended_elsewhere(node);
    if (observer_ != nullptr) observer_->task_held(w.index, node.name, id_of(node), begin, end);
  }
  /// The task with the id `by` has released `ready`.
  void released(const task_node& ready, std::uint64_t by, const worker* w) const {
    if (observer_ != nullptr)
      observer_->task_released(w != nullptr ? w->index : -1, id_of(ready), by);
  }
  void idled(const worker& w, ticks begin, ticks end, ticks exposed) const {
    if (observer_ != nullptr) observer_->worker_idled(w.index, begin, end, exposed);
  }
  void threads_added(const resource_threads& of) const {
    if (observer_ == nullptr) return;
    for (std::size_t i = 0; i < of.threads.size(); ++i)
      observer_->thread_added(of.threads[i]->index, of.label(i));
  }

 private:
  [[gnu::noinline]] void begins_watched(task_node& node) const {
    if (checker_ != nullptr) checker_->begin(node);
    if (shadow_ == nullptr) return;
    const std::uint32_t group = node.is_child ? 0 : group_;
    shadow_->begins(node, node.is_child ? id_of(*node.siblings->parent) : 0, group);
    if (node.recorded != nullptr && group != 0)
      node.recorded->graph->set_group(*node.recorded, group);
  }
  [[gnu::noinline]] void declares_watched(task_node& node, const strided_bytes& memory,
                                          access_mode mode, const void* operation) const {
    if (checker_ != nullptr) checker_->add(node, memory, mode);
    if (shadow_ != nullptr) shadow_->declares(node, memory, mode, operation);
  }
  [[gnu::noinline]] void declares_watched(task_node& node, const container& c, byte_range elements,
                                          access_mode mode, const void* operation) const {
    if (checker_ != nullptr) checker_->add_container(node, c, elements, mode);
    if (shadow_ == nullptr) return;
    shadow_->declares(node, strided_bytes::of(c.own()), mode, operation);
    if (!c.holds(elements)) shadow_->declares(node, strided_bytes::of(elements), mode, operation);
  }
  [[nodiscard]] static bool is_sampled(const task_node& node) noexcept {
    return node.recorded != nullptr && node.recorded->is_sampled();
  }
  [[nodiscard]] static std::uint64_t id_of(const task_node& node) noexcept {
    return node.id.load(std::memory_order_relaxed);
  }

  const std::unique_ptr<access_checker> checker_;
  task_observer* observer_ = nullptr;
  std::unique_ptr<shadow_tracker> shadow_;         ///< null unless the observer wants dependences
  std::uint32_t group_ = 0;                        ///< of what the program submits
  bool watches_submission_ = checker_ != nullptr;  ///< one test where nobody does
};

}  // namespace plait::detail
