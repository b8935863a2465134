// SPDX-License-Identifier: BSD-3-Clause
/// Ready tasks released by threads that are no workers (a progress thread).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include <plait/task/detail/node_stack.hpp>

namespace plait::detail {

/// First in, first out for each priority.  A push takes no lock.  Whoever takes a task sorts what
/// has arrived into the queues, under a mutex: entries come at the rate of messages, and a holder
/// that loses its processor must not make others spin.
///
/// The counts are raised before a push and lowered after a task has been taken.  So nobody finds
/// the inbox empty beside a task, on the stack or sorted; who finds a count and no task yet comes
/// before the push in the single order of sequentially consistent operations, and hence before
/// the notification that follows the push (event_count).
class inbox {
 public:
  void push(task_node& node) noexcept {
    if (node.where == task_node::anyone) for_anyone_.fetch_add(1, std::memory_order_relaxed);
    counts_[static_cast<std::size_t>(node.urgency)].fetch_add(1, std::memory_order_seq_cst);
    count_.fetch_add(1, std::memory_order_seq_cst);
    arrived_.push(node);
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_.load(std::memory_order_seq_cst); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// Between these two the inbox is not said to be empty.
  void begin_care() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }
  void end_care() noexcept { count_.fetch_sub(1, std::memory_order_seq_cst); }

  [[nodiscard]] task_node* pop(priority urgency) noexcept {
    const auto& count = counts_[static_cast<std::size_t>(urgency)];
    return count.load(std::memory_order_seq_cst) == 0 ? nullptr
                                                      : pop_sorted(urgency, urgency, false);
  }
  /// Takes a task of the highest priority that there is.
  [[nodiscard]] task_node* pop() noexcept {
    return empty() ? nullptr : pop_sorted(priority::high, priority::low, false);
  }
  /// Takes the oldest task of the highest priority that is meant for anyone, if any.  It may miss
  /// one that another thread is pushing.
  [[nodiscard]] task_node* pop_for_anyone() noexcept {
    if (for_anyone_.load(std::memory_order_relaxed) == 0) return nullptr;
    return pop_sorted(priority::high, priority::low, true);
  }

 private:
  /// Linked by `next_free`, which a task in flight that is ready does not use.
  struct queue {
    task_node* first = nullptr;
    task_node** end = &first;
  };

  [[gnu::noinline, nodiscard]] task_node* pop_sorted(priority first, priority last,
                                                     bool for_anyone) noexcept {
    const std::lock_guard lock(mutex_);
    sort_arrived();
    for (auto lane = static_cast<std::size_t>(first); lane <= static_cast<std::size_t>(last);
         ++lane) {
      queue& from = queues_[lane];
      task_node** at = &from.first;
      while (for_anyone && *at != nullptr && (*at)->where != task_node::anyone)
        at = &(*at)->next_free;
      task_node* const node = *at;
      if (node == nullptr) continue;
      *at = node->next_free;
      if (*at == nullptr) from.end = at;
      if (node->where == task_node::anyone) for_anyone_.fetch_sub(1, std::memory_order_relaxed);
      counts_[lane].fetch_sub(1, std::memory_order_seq_cst);
      count_.fetch_sub(1, std::memory_order_seq_cst);
      return node;
    }
    return nullptr;
  }
  void sort_arrived() noexcept {
    task_node* oldest = turned_round(arrived_.take_all());
    while (oldest != nullptr) {
      queue& to = queues_[static_cast<std::size_t>(oldest->urgency)];
      *to.end = oldest;
      to.end = &oldest->next_free;
      oldest = std::exchange(oldest->next_free, nullptr);
    }
  }

  node_stack arrived_;
  std::mutex mutex_;
  std::array<queue, priority_count> queues_;
  std::array<std::atomic<std::size_t>, priority_count> counts_{};  ///< of the entries of a priority
  std::atomic<std::size_t> count_{0};  ///< of all entries, and one while a failure is known
  std::atomic<int> for_anyone_{0};     ///< of those that are meant for anyone
};

}  // namespace plait::detail
