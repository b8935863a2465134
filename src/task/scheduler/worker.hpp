// SPDX-License-Identifier: BSD-3-Clause
/// The state of one worker.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include <plait/task/detail/node_stack.hpp>
#include <plait/task/detail/ready_tasks.hpp>

#include "task/scheduler/timekeeper.hpp"

namespace plait {
struct suspension;
}

namespace plait::detail {

/// One queue for each priority.
template <class Queue>
class lanes {
 public:
  explicit lanes(std::size_t capacity)
      : queues_{Queue(capacity), Queue(capacity), Queue(capacity)} {}
  [[nodiscard]] Queue& operator[](priority urgency) noexcept {
    return queues_[static_cast<std::size_t>(urgency)];
  }

 private:
  std::array<Queue, priority_count> queues_;
};

/// Counts that one thread raises and others add up.
struct counters {
  /// Nodes that need nothing more, and that counted against the in-flight limit until then.
  std::atomic<std::uint64_t> tasks{0};
  std::atomic<std::uint64_t> finished{0};   ///< other nodes that need nothing more
  std::atomic<std::uint64_t> uncounted{0};  ///< those that count no more: asynchronous and started
  std::atomic<std::uint64_t> children{0};   ///< of those that tasks have submitted, finished

  [[nodiscard]] std::uint64_t all_finished() const noexcept {
    return tasks.load(std::memory_order_relaxed) + finished.load(std::memory_order_relaxed);
  }
};

/// For a thread that is not meant to hide messages: waiting for work is idleness, whatever is in
/// flight.
[[nodiscard]] inline ticks nothing_in_flight(ticks) noexcept {
  return 0;
}

struct resource_threads;

/// Messages that a thread has made ready and that it starts one after the other.
struct waiting_starts {
  task_node* first = nullptr;
  task_node* last = nullptr;
  bool being_emptied = false;
  /// The one that is being started.  If the thread completes it meanwhile there is none any more,
  /// and it is finished when its start returns.  (By then other threads may have finished it and
  /// made it another: that one is finished then, as its completion asks.)
  task_node* starting = nullptr;

  /// Adds messages, each the `next_free` of the one before it.  Returns whether nobody starts them.
  [[nodiscard]] bool add(task_node& from, task_node& to) noexcept {
    to.next_free = nullptr;  // unused while a node is in flight
    (first == nullptr ? first : last->next_free) = &from;
    last = &to;
    return !being_emptied;
  }
};

struct alignas(128) worker {
  worker(int index_, std::size_t capacity) : index(index_), own(capacity), time(index_ == 0) {}

  const int index;
  const resource_threads* of = nullptr;  ///< whose thread it is; null: a worker
  bool is_only = false;                  ///< there is no other worker
  lanes<ready_tasks> own;     ///< tasks released here, taken oldest first, by thieves too
  task_node* next = nullptr;  ///< the released task to run at once, its data still in the cache
  bool in_loop = false;       ///< will come back for `next`
  /// The task whose function runs, or null.  Written by the worker, a hint to others.
  std::atomic<task_node*> in_task{nullptr};
  task_node* running = nullptr;     ///< while in a task that can be suspended
  suspension* then = nullptr;       ///< what a task that suspends itself leaves to be done
  family* free_families = nullptr;  ///< of `family_pool`; this thread's own
  waiting_starts starts;
  timekeeper time;
  bool polls_again = false;  ///< the last idle spell ended in polling without pause
  std::uint64_t random = 0;
  std::thread thread;

  alignas(128) counters counts;
  node_stack returned;  ///< finished nodes on their way back to the submitting thread
};

}  // namespace plait::detail
