// SPDX-License-Identifier: BSD-3-Clause
/// A queue of ready tasks: one thread pushes, any thread takes, oldest first; bounded.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <plait/core/error.hpp>
#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// The thieves' half of Chase and Lev's deque [SPAA 2005], its fences replaced by seq_cst accesses
/// of `top_` and `bottom_` (the same instructions on x86, and ThreadSanitizer understands them).
/// The owner has no end of its own: ready tasks run in the order of submission (see `find` in
/// ready_set.cpp), so the owner takes from the thieves' end.
///
/// Why a task is taken exactly once: the taker of element `top` raises `top_` from `top` to
/// `top + 1` by compare-and-swap, `top_` never falls, so one succeeds for each value.
///
/// Why it is the right task: the in-flight limit bounds the number of ready tasks, hence an index
/// is written again only `capacity` pushes later, when `top_` has passed it; a taker that read the
/// element before that has an older `top`, loses its compare-and-swap and drops what it read.
///
/// Why it is seen whole: the owner's store of `bottom_` after writing the element releases, the
/// taker's load acquires.
class ready_queue {
 public:
  /// `capacity`: at least the number of tasks that can be in it at once.
  explicit ready_queue(std::size_t capacity)
      : mask_(std::bit_ceil(capacity) - 1), ring_(std::make_unique<entry[]>(mask_ + 1)) {}

  /// Owner only.  `id`: the place of `task` in the order of submission.
  void push(task_node* task, std::uint64_t id) noexcept {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    PLAIT_EXPECTS(!full(), "the in-flight limit bounds a queue of ready tasks");
    entry& place = slot(bottom);
    place.task.store(task, std::memory_order_relaxed);
    place.id.store(id, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_seq_cst);  // seq_cst: pairs with event_count
  }

  /// Any thread: the task pushed first, or null when there is none.  Tries again when another
  /// thread was faster: a failed try means that one succeeded, and a worker must not go to sleep
  /// beside work.
  [[nodiscard]] task_node* take() noexcept {
    for (;;) {
      std::int64_t top = top_.load(std::memory_order_seq_cst);
      if (top >= bottom_.load(std::memory_order_seq_cst)) return nullptr;
      task_node* task = slot(top).task.load(std::memory_order_relaxed);
      if (top_.compare_exchange_weak(top, top + 1, std::memory_order_seq_cst)) return task;
    }
  }

  /// Any thread: the place in the order of submission of the task `take` would give, or `none`.  A
  /// hint: the task may be gone by the time it is used, and its node freed with the graph it was
  /// recorded in; so the place is kept here.  (seq_cst: `none` is what a thief goes to sleep on,
  /// see event_count.)
  static constexpr std::uint64_t none = UINT64_MAX;
  [[nodiscard]] std::uint64_t oldest_id() const noexcept {
    const std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top >= bottom_.load(std::memory_order_seq_cst)) return none;
    return slot(top).id.load(std::memory_order_relaxed);
  }

  /// Owner only: there is no room for one more.
  [[nodiscard]] bool full() const noexcept {
    return bottom_.load(std::memory_order_relaxed) - top_.load(std::memory_order_acquire) >
           static_cast<std::int64_t>(mask_);
  }

  /// Any thread; a hint.
  [[nodiscard]] bool empty() const noexcept {
    return top_.load(std::memory_order_seq_cst) >= bottom_.load(std::memory_order_seq_cst);
  }

 private:
  struct entry {
    std::atomic<task_node*> task;
    std::atomic<std::uint64_t> id;
  };

  [[nodiscard]] entry& slot(std::int64_t index) const noexcept {
    return ring_[static_cast<std::size_t>(index) & mask_];
  }

  alignas(64) std::atomic<std::int64_t> top_{0};
  alignas(64) std::atomic<std::int64_t> bottom_{0};
  alignas(64) const std::size_t mask_;
  const std::unique_ptr<entry[]> ring_;
};

}  // namespace plait::detail
