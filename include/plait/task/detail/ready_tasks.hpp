// SPDX-License-Identifier: BSD-3-Clause
/// The ready tasks of a worker: it pushes, any thread takes, oldest first; bounded.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include <plait/task/detail/node.hpp>
#include <plait/task/detail/ready_queue.hpp>

namespace plait::detail {

/// Tasks in the order of their ids, whatever the order in which they come; behind a lock.
class ready_heap {
 public:
  explicit ready_heap(std::size_t capacity) { heap_.reserve(capacity); }

  void push(task_node* task, std::uint64_t id) noexcept {
    const std::lock_guard lock(mutex_);
    heap_.push_back({id, task});
    std::ranges::push_heap(heap_, std::greater{}, &entry::id);
    publish();
  }

  [[nodiscard]] task_node* take() noexcept {
    return oldest_id() == ready_queue::none ? nullptr : take_locked();
  }

  /// The id of the task `take` would give, or ready_queue::none.  A hint.
  [[nodiscard]] std::uint64_t oldest_id() const noexcept {
    return oldest_id_.load(std::memory_order_seq_cst);
  }

 private:
  struct entry {
    std::uint64_t id;
    task_node* task;
  };

  [[gnu::noinline, nodiscard]] task_node* take_locked() noexcept {
    const std::lock_guard lock(mutex_);
    if (heap_.empty()) return nullptr;
    std::ranges::pop_heap(heap_, std::greater{}, &entry::id);
    task_node* task = heap_.back().task;
    heap_.pop_back();
    publish();
    return task;
  }

  void publish() noexcept {  // seq_cst: pairs with event_count
    oldest_id_.store(heap_.empty() ? ready_queue::none : heap_.front().id,
                     std::memory_order_seq_cst);
  }

  std::mutex mutex_;
  std::vector<entry> heap_;
  std::atomic<std::uint64_t> oldest_id_{ready_queue::none};
};

/// Tasks come in the order in which they become ready, and leave in that of submission.  A task
/// goes to the end of a queue whose tasks are all older, as in patience sorting [Aldous, Diaconis
/// 1999], so that each queue is sorted and its oldest at the head; where neither has a place for
/// it, into the heap.
///
/// Usually one queue takes all: what is released for the next iteration ascends.  What is left of
/// this one comes in between, and in a single queue it waited for a whole iteration, with all that
/// depends on it (512x512x32 cells in tiles of four steps: 13.3 ms a step, where the order of
/// submission takes 9.4).
///
/// Nothing is shared but the queues and the heap, so what ready_queue says holds: a task is taken
/// exactly once and seen whole.  `take` gives up only when each was empty at some time during the
/// call, and a worker that prepares to sleep sees the owner's earlier pushes.
class ready_tasks {
 public:
  /// `capacity`: at least the number of tasks that can be in it at once.
  explicit ready_tasks(std::size_t capacity)
      : queues_{ready_queue(capacity), ready_queue(short_queue)}, heap_(capacity) {}

  // --- the owner ---------------------------------------------------------------------------------
  /// `id`: the place of `task` in the order of submission.
  void push(task_node* task, std::uint64_t id) noexcept {
    if (!spilled_ && (newest_[0] < id || queues_[0].empty())) {
      put(0, task, id);
    } else {
      spill(task, id);
    }
  }

  /// The oldest task, or null when there is none.
  [[nodiscard]] task_node* take() noexcept { return spilled_ ? take_spilled() : queues_[0].take(); }

  /// The place of the task `take` would give, or ready_queue::none.  A hint.
  [[nodiscard]] std::uint64_t oldest_id() const noexcept {
    return spilled_ ? oldest_of_all() : queues_[0].oldest_id();
  }

  /// A hint.
  [[nodiscard]] bool empty() const noexcept { return oldest_id() == ready_queue::none; }

  // --- others ------------------------------------------------------------------------------------
  /// Takes a task for another worker, as `take` does for the owner.
  [[nodiscard]] task_node* steal() noexcept {
    for (;;) {
      const std::uint64_t first = queues_[0].oldest_id();
      const std::uint64_t second = queues_[1].oldest_id();
      const std::uint64_t third = heap_.oldest_id();
      task_node* task = nullptr;
      if (first <= second && first <= third) {
        if (first == ready_queue::none) return nullptr;
        task = queues_[0].take();
      } else {
        task = second <= third ? queues_[1].take() : heap_.take();
      }
      if (task != nullptr) return task;
    }
  }

 private:
  static constexpr std::size_t short_queue = 256;

  [[gnu::noinline, nodiscard]] std::uint64_t oldest_of_all() const noexcept {
    return std::min({queues_[0].oldest_id(), queues_[1].oldest_id(), heap_.oldest_id()});
  }

  void put(std::size_t to, task_node* task, std::uint64_t id) noexcept {
    newest_[to] = id;
    queues_[to].push(task, id);
  }

  [[gnu::noinline]] void spill(task_node* task, std::uint64_t id) noexcept {
    spilled_ = true;
    // The one whose newest is the newest of those older than `id` keeps room for the others.
    const std::size_t preferred = newest_[0] < newest_[1] ? 1 : 0;
    for (const std::size_t to : {preferred, 1 - preferred}) {
      if (queues_[to].empty() || (newest_[to] < id && !queues_[to].full()))
        return put(to, task, id);
    }
    heap_.push(task, id);
  }

  [[gnu::noinline, nodiscard]] task_node* take_spilled() noexcept {
    task_node* task = steal();
    // Nobody else puts anything there.
    if (queues_[1].empty() && heap_.oldest_id() == ready_queue::none) spilled_ = false;
    return task;
  }

  std::array<ready_queue, 2> queues_;
  ready_heap heap_;
  // The owner's, on a line that thieves do not read.
  alignas(64) std::array<std::uint64_t, 2> newest_{};  ///< pushed last
  bool spilled_ = false;                               ///< not all are in the first queue
};

}  // namespace plait::detail
