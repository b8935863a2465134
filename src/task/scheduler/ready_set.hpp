// SPDX-License-Identifier: BSD-3-Clause
/// The tasks that are ready: where they wait, who takes which of them next, and who is woken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <plait/core/event_count.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/detail/ready_queue.hpp>
#include <plait/task/detail/serial_tasks.hpp>

#include "task/scheduler/crew.hpp"
#include "task/scheduler/inbox.hpp"
#include "task/scheduler/worker.hpp"

namespace plait::detail {

/// Each task is in one place: the queue of those that were ready when they were submitted, the
/// queues of the worker that has released it, that worker's `next`, the inbox, or a resource's.
/// Where there is one worker, its `serial_` are in the place of the first three.
class ready_set {
 public:
  ready_set(crew& threads, std::size_t in_flight);

  // What the in-flight limit does not bound goes to an inbox: children, and what is uncounted.
  /// Adds a task that is ready when it is submitted.  Submitting thread.
  void add_submitted(task_node& node) {
    if ((node.care & task_node::elsewhere) != 0) return add_outside(node);
    if (is_one_) return add_serially(node);
    expect_high(node);
    fresh_[node.urgency].push(&node, node.id.load(std::memory_order_relaxed));
    worker_events_.notify_one();
  }
  /// Adds a task that `w` has released; null: a thread that is no worker.  Not one for elsewhere.
  [[gnu::always_inline]] void add_released(task_node& node, worker* w) {
    if (w != nullptr && w->is_only) return add_serially(node);
    w == nullptr || w->of != nullptr ? add_outside(node) : add_to_queues(node, *w);
  }
  /// Adds a task that is usual, and that the only worker has released.
  [[gnu::always_inline]] void add_usual(task_node& node) noexcept {
    serial_.push(&node, node.id.load(std::memory_order_relaxed));
  }
  /// Adds a task that the only worker has released, or a submission of its own.
  [[gnu::always_inline]] void add_serially(task_node& node) noexcept {
    serial_.push(&node, node.id.load(std::memory_order_relaxed), node.urgency);
  }
  /// Puts a task into an inbox: the workers', from which the helper takes too, or that of the
  /// resource which the task is meant for.  Any thread.
  void add_outside(task_node& node) noexcept;
  /// Puts a task into the inbox of the workers, even if it is meant for a resource: one that runs
  /// no more, and is to be finished.  Any thread; without a lock.
  void add_for_workers(task_node& node) noexcept;

  /// Returns the task that `w` runs next, or null.
  [[gnu::always_inline, nodiscard]] task_node* find(worker& w) {
    if (!w.is_only) return find_among_all(w);
    return needs_care() ? find_with_one() : find_plain();
  }
  /// Returns what the only worker runs next, or null, if no care is needed.
  [[gnu::always_inline, nodiscard]] task_node* find_plain() noexcept { return serial_.take(); }
  /// Returns whether `find_usual` finds what the only worker runs next.
  [[gnu::always_inline, nodiscard]] bool are_usual() const noexcept {
    return (outside_.size() | serial_.unusual()) == 0;
  }
  [[gnu::always_inline, nodiscard]] task_node* find_usual() noexcept {
    return serial_.take_usual();
  }
  /// Returns whether others have made tasks ready, or something has failed: what the only worker
  /// asks before each task.  Who fails says so before it releases anybody.
  [[nodiscard]] bool needs_care() const noexcept { return !outside_.empty(); }
  void begin_care() noexcept { outside_.begin_care(); }
  void end_care() noexcept { outside_.end_care(); }
  /// Returns a task that is meant for anyone, or null.  The helper.
  [[nodiscard]] task_node* take_for_anyone();
  /// Hands over what only `w` would take, which comes back for nothing more.
  void leave_loop(worker& w) noexcept {
    w.in_loop = false;
    if (w.next != nullptr) push(*std::exchange(w.next, nullptr), w);
  }

  /// Returns where `w` sleeps until there is a task.
  [[nodiscard]] event_count& events_of(const worker& w) noexcept {
    return w.index == 0 ? submitter_events_ : worker_events_;
  }
  void wake_submitter() noexcept { submitter_events_.notify_one(); }
  void wake_workers() noexcept { worker_events_.notify_all(); }
  /// Wakes one worker and, unless `here` is the submitting thread's, that thread.
  void wake_two(const worker* here = nullptr) noexcept {
    worker_events_.notify_one();
    if (here == nullptr || here->index != 0) submitter_events_.notify_one();
  }

 private:
  template <priority urgency>
  [[nodiscard]] task_node* find(worker& w) noexcept;
  [[nodiscard]] task_node* find_among_all(worker& w);
  [[nodiscard]] task_node* find_with_one();
  void add_to_queues(task_node& node, worker& w) noexcept;
  [[nodiscard]] task_node* steal(worker& w, priority urgency) noexcept;
  void push(task_node& node, worker& w) noexcept {
    expect_high(node);
    w.own[node.urgency].push(&node, node.id.load(std::memory_order_relaxed));
    wake_two(&w);
  }
  void expect_high(const task_node& node) noexcept {
    if (node.urgency == priority::high) high_.fetch_add(1, std::memory_order_seq_cst);
  }

  crew& threads_;
  const bool is_one_ = threads_.is_one();
  serial_tasks serial_;
  alignas(128) lanes<ready_queue> fresh_;  ///< pushed by the submitting thread, taken oldest first
  inbox outside_;
  /// At least the ready tasks of high priority in all queues: raised before one is pushed, lowered
  /// after it has been taken.
  alignas(128) std::atomic<std::int64_t> high_{0};
  event_count worker_events_;
  event_count submitter_events_;
};

}  // namespace plait::detail
