// SPDX-License-Identifier: BSD-3-Clause
/// Ready tasks released by threads that are no workers (a progress thread).
#pragma once

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
    sizes_[lane].fetch_add(1, std::memory_order_seq_cst);  // seq_cst: pairs with event_count
  }

  [[nodiscard]] task_node* pop(priority urgency) {
    const auto lane = static_cast<std::size_t>(urgency);
    return sizes_[lane].load(std::memory_order_seq_cst) == 0 ? nullptr : pop_locked(lane);
  }

 private:
  [[gnu::noinline, nodiscard]] task_node* pop_locked(std::size_t lane) {
    std::lock_guard lock(mutex_);
    if (queues_[lane].empty()) return nullptr;
    task_node* node = queues_[lane].front();
    queues_[lane].pop_front();
    sizes_[lane].fetch_sub(1, std::memory_order_relaxed);
    return node;
  }

  std::mutex mutex_;
  std::array<std::deque<task_node*>, priority_count> queues_;
  std::array<std::atomic<int>, priority_count> sizes_{};
};

}  // namespace plait::detail
