// SPDX-License-Identifier: BSD-3-Clause
/// The work-stealing deque of one worker: bounded, never grows.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <plait/core/error.hpp>
#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// Chase and Lev's deque [SPAA 2005] with the memory orders of Lê, Pop, Cohen and Nardelli [PPoPP
/// 2013], their fences replaced by seq_cst accesses of `top_` and `bottom_` (the same instructions
/// on x86, and ThreadSanitizer understands them).  The submission window bounds the number of ready
/// tasks, hence the ring never needs to grow and an element is never overwritten while a thief may
/// still read it and win: an index is reused only `capacity` pushes later, when `top_` has passed
/// it, and a thief whose `top_` is older loses its compare-and-swap and drops what it read.
///
/// Why a task is taken exactly once.  Owner (`pop`) and thieves (`steal`) can want the same element
/// only if it is the last.  `pop` first lowers `bottom_`, then reads `top_`; `steal` first reads
/// `top_`, then `bottom_`; in the total order of these four either the thief sees the lowered
/// `bottom_` and goes away, or the owner sees that the element may be contested and takes it, like
/// the thief, by compare-and-swap of `top_`, which one of them wins.
///
/// Why a thief sees the task whole: the owner's store of `bottom_` after writing the element
/// releases, the thief's load acquires.
class deque {
 public:
  /// `capacity`: at least the number of tasks that can be in it at once.
  explicit deque(std::size_t capacity)
      : mask_(std::bit_ceil(capacity) - 1),
        ring_(std::make_unique<std::atomic<task_node*>[]>(mask_ + 1)) {}

  /// Owner only.
  void push(task_node* task) noexcept {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    PLAIT_EXPECTS(bottom - top_.load(std::memory_order_acquire) <= static_cast<std::int64_t>(mask_),
                  "the submission window bounds a deque");
    slot(bottom).store(task, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_seq_cst);  // seq_cst: pairs with event_count
  }

  /// Owner only: the task pushed last, or null.
  [[nodiscard]] task_node* pop() noexcept {
    std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    // Nothing was pushed since it was seen empty: thieves only raise top_.
    if (bottom <= top_.load(std::memory_order_relaxed)) return nullptr;
    bottom_.store(--bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top > bottom) {
      bottom_.store(bottom + 1, std::memory_order_relaxed);
      return nullptr;
    }
    task_node* task = slot(bottom).load(std::memory_order_relaxed);
    if (top == bottom) {
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst)) task = nullptr;
      bottom_.store(bottom + 1, std::memory_order_relaxed);
    }
    return task;
  }

  /// Any thread: the task pushed first, or null when there is none.  Tries again when another
  /// thread was faster: a failed try means that one succeeded, and a worker must not go to sleep
  /// beside work.
  [[nodiscard]] task_node* steal() noexcept {
    for (;;) {
      std::int64_t top = top_.load(std::memory_order_seq_cst);
      if (top >= bottom_.load(std::memory_order_seq_cst)) return nullptr;
      task_node* task = slot(top).load(std::memory_order_relaxed);
      if (top_.compare_exchange_weak(top, top + 1, std::memory_order_seq_cst)) return task;
    }
  }

  /// Any thread: the place in the order of submission of the task `steal` would give, or `none`.  A
  /// hint: the task may be gone by the time it is used, and its node another task's.
  static constexpr std::uint64_t none = UINT64_MAX;
  [[nodiscard]] std::uint64_t oldest_id() noexcept {
    const std::int64_t top = top_.load(std::memory_order_acquire);
    if (top >= bottom_.load(std::memory_order_acquire)) return none;
    return slot(top).load(std::memory_order_relaxed)->id.load(std::memory_order_relaxed);
  }

  /// Any thread; a hint.
  [[nodiscard]] bool empty() const noexcept {
    return top_.load(std::memory_order_seq_cst) >= bottom_.load(std::memory_order_seq_cst);
  }

 private:
  [[nodiscard]] std::atomic<task_node*>& slot(std::int64_t index) noexcept {
    return ring_[static_cast<std::size_t>(index) & mask_];
  }

  alignas(64) std::atomic<std::int64_t> top_{0};
  alignas(64) std::atomic<std::int64_t> bottom_{0};
  alignas(64) const std::size_t mask_;
  const std::unique_ptr<std::atomic<task_node*>[]> ring_;
};

}  // namespace plait::detail
