// SPDX-License-Identifier: BSD-3-Clause
/// Tasks that may run in any order, but one at a time: those with `commutative` accesses that share
/// a byte.
#pragma once

#include <atomic>
#include <utility>

#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// A lock for which tasks wait without keeping a worker.
///
/// `state_` is free, held, or held with a list of tasks that came meanwhile (newest first, linked
/// by `next_free`, which a ready task does not use).  The holder also owns `queue_`, the tasks
/// that wait longer.
///
/// Why no task waits for ever: a task gets on the list only while the lock is held, by the
/// compare-and-swap that finds it held, and the compare-and-swap that frees the lock fails unless
/// the list is empty.  So the tasks that wait when the lock becomes free are in `queue_`; `release`
/// hands the first of it back to be run, and that one tries again, and takes the lock or joins the
/// list of a faster task, which releases in turn.  By induction a task that will release holds the
/// lock, or a task from its queue is on its way, as long as one waits.
///
/// Why `queue_` needs no lock: only the holder touches it; freeing releases, taking acquires.
///
/// No ABA: lists are pushed to, until one exchange takes everything.
class exclusion {
 public:
  /// Any worker.  Takes it, or returns false if another task holds it.
  [[nodiscard]] bool try_take() noexcept {
    task_node* seen = free();
    return state_.compare_exchange_strong(seen, held(), std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  /// Takes the lock for `task` and returns true, or leaves `task` to the holder and returns false.
  /// In the second case the task may run, and be gone, at once.  Any worker.
  [[nodiscard]] bool take_or_wait(task_node& task) noexcept {
    task_node* seen = state_.load(std::memory_order_relaxed);
    for (;;) {
      if (seen == free()) {
        if (state_.compare_exchange_weak(seen, held(), std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
          return true;
        }
      } else {
        task.next_free = seen == held() ? nullptr : seen;
        if (state_.compare_exchange_weak(seen, &task, std::memory_order_release,
                                         std::memory_order_relaxed)) {
          return false;
        }
      }
    }
  }

  /// The holder.  Returns a task that waited, which is to be made ready again, or null.
  [[nodiscard]] task_node* release() noexcept {
    task_node* first = nullptr;
    for (;;) {
      if (first == nullptr && queue_ != nullptr) first = std::exchange(queue_, queue_->next_free);
      task_node* seen = held();
      if (state_.compare_exchange_strong(seen, free(), std::memory_order_release,
                                         std::memory_order_relaxed)) {
        return first;
      }
      append(state_.exchange(held(), std::memory_order_acquire));
    }
  }

 private:
  [[nodiscard]] static task_node* free() noexcept { return nullptr; }
  [[nodiscard]] static task_node* held() noexcept {
    alignas(task_node) static constinit char sentinel = 0;
    return reinterpret_cast<task_node*>(&sentinel);  // an address, never a node
  }

  /// Appends the tasks that came meanwhile, oldest first, behind those that wait already.
  void append(task_node* newest) noexcept {
    (queue_ == nullptr ? queue_ : last_->next_free) = turned_round(newest);
    last_ = newest;
  }

  std::atomic<task_node*> state_{nullptr};
  task_node* queue_ = nullptr;
  task_node* last_ = nullptr;  ///< of `queue_`, if that is not empty
};

}  // namespace plait::detail
