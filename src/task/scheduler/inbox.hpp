// SPDX-License-Identifier: BSD-3-Clause
/// Ready tasks released by threads that are no workers (a progress thread).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <mutex>

#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// First in, first out for each priority.  A mutex is right here: entries come at the rate of
/// messages, and a holder that loses its processor must not make others spin.
class inbox {
 public:
  void push(task_node& node) {
    const auto lane = static_cast<std::size_t>(node.urgency);
    std::lock_guard lock(mutex_);
    queues_[lane].push_back(&node);
    if (node.where == task_node::anyone) for_anyone_.fetch_add(1, std::memory_order_relaxed);
    if ((filled_.load(std::memory_order_relaxed) >> lane) % 2 == 0) fill(lane);
  }

  /// Says that something beside the queues is to be looked at, or not any more.  Any thread.
  void fill_beside() noexcept { fill(priority_count); }
  void clear_beside() noexcept { clear(priority_count); }
  [[nodiscard]] bool is_filled_beside() const noexcept {
    return filled_.load(std::memory_order_seq_cst) >> priority_count != 0;
  }
  /// Returns true if the queues are empty, and nothing is to be looked at beside them.
  [[nodiscard]] bool empty() const noexcept { return filled_.load(std::memory_order_seq_cst) == 0; }

  [[nodiscard]] task_node* pop(priority urgency) {
    const auto lane = static_cast<std::size_t>(urgency);
    const unsigned filled = filled_.load(std::memory_order_seq_cst);
    return (filled >> lane) % 2 == 0 ? nullptr : pop_locked(lane);
  }

  /// Takes the oldest task of the highest priority that is meant for anyone, if any.  It may miss
  /// one that another thread is pushing.
  [[nodiscard]] task_node* pop_for_anyone() {
    if (for_anyone_.load(std::memory_order_relaxed) == 0) return nullptr;
    std::lock_guard lock(mutex_);
    for (std::size_t lane = 0; lane < queues_.size(); ++lane) {
      const auto found = std::ranges::find(queues_[lane], task_node::anyone, &task_node::where);
      if (found != queues_[lane].end()) return take(lane, found);
    }
    return nullptr;
  }

 private:
  using queue = std::deque<task_node*>;

  void fill(std::size_t lane) noexcept { filled_.fetch_or(1U << lane, std::memory_order_seq_cst); }
  void clear(std::size_t lane) noexcept {
    filled_.fetch_and(~(1U << lane), std::memory_order_seq_cst);
  }
  [[gnu::noinline, nodiscard]] task_node* pop_locked(std::size_t lane) {
    std::lock_guard lock(mutex_);
    if (queues_[lane].empty()) return nullptr;
    return take(lane, queues_[lane].begin());
  }
  [[nodiscard]] task_node* take(std::size_t lane, queue::iterator which) {
    task_node* const node = *which;
    if (which == queues_[lane].begin()) {
      queues_[lane].pop_front();
    } else {
      queues_[lane].erase(which);
    }
    if (queues_[lane].empty()) clear(lane);
    if (node->where == task_node::anyone) for_anyone_.fetch_sub(1, std::memory_order_relaxed);
    return node;
  }

  std::mutex mutex_;
  std::array<queue, priority_count> queues_;
  /// One bit a queue that is not empty, written under the lock, and one for what is beside them.
  /// seq_cst: pairs with event_count, for who sees the bit of an earlier task takes the lock, and
  /// finds the later one too.
  std::atomic<unsigned> filled_{0};
  std::atomic<int> for_anyone_{0};  ///< entries in all queues
};

}  // namespace plait::detail
