// SPDX-License-Identifier: BSD-3-Clause
/// The state of one worker.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include <plait/task/detail/node.hpp>
#include <plait/task/detail/ready_queue.hpp>
#include <plait/task/detail/ready_tasks.hpp>
#include <plait/task/ledger.hpp>

namespace plait::detail {

/// One queue for each priority.
template <class Queue>
class lanes {
 public:
  lanes(std::size_t capacity, ready_queue::takers who)
      : queues_{Queue(capacity, who), Queue(capacity, who), Queue(capacity, who)} {}
  [[nodiscard]] Queue& operator[](priority urgency) noexcept {
    return queues_[static_cast<std::size_t>(urgency)];
  }

 private:
  std::array<Queue, priority_count> queues_;
};

/// Stack of finished nodes on their way back to the submitting thread.  Any number of threads push,
/// one takes everything at once: no ABA.
class returned_nodes {
 public:
  void push(task_node& node) noexcept {
    task_node* head = head_.load(std::memory_order_relaxed);
    do {
      node.next_free = head;
    } while (!head_.compare_exchange_weak(head, &node, std::memory_order_release,
                                          std::memory_order_relaxed));
  }
  [[nodiscard]] task_node* take_all() noexcept {
    if (head_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return head_.exchange(nullptr, std::memory_order_acquire);
  }

 private:
  std::atomic<task_node*> head_{nullptr};
};

/// Counts that one thread raises and others add up.
struct counters {
  std::atomic<std::uint64_t> finished{0};  ///< nodes that need nothing more
  std::atomic<std::uint64_t> left_window{
      0};                                  ///< compute nodes finished, asynchronous nodes started
  std::atomic<std::uint64_t> children{0};  ///< of those that tasks have submitted, finished
};

struct alignas(128) worker {
  worker(int index_, std::size_t capacity, ready_queue::takers who)
      : index(index_), own(capacity, who) {}

  const int index;
  lanes<ready_tasks> own;     ///< tasks released here, taken oldest first, by thieves too
  task_node* next = nullptr;  ///< the released task to run at once, its data still in the cache
  bool in_loop = false;       ///< will come back for `next`
  /// The task whose function runs, or null.  Written by the worker, a hint to others.
  std::atomic<task_node*> in_task{nullptr};
  task_node* running = nullptr;  ///< while in a task that can be suspended
  struct {
    void (*call)(task_node&, void*) = nullptr;
    void* argument = nullptr;
  } then;  ///< what a task that suspends itself leaves to be done
  account account_{now_ticks()};
  sampled_overhead between_tasks;
  int unread = 0;            ///< tasks since the clock was read
  bool tasks_short = false;  ///< the last for which it was
  const ticks short_task = seconds_to_ticks(1e-6);
  sampled_overhead before_posts;
  sampled_overhead posts;    ///< from begin to end of one
  bool posts_short = false;  ///< the last for which the clock was read
  bool polls_again = false;  ///< the last idle spell ended in polling without pause
  bool polling = false;      ///< between two tasks, and what it does is booked when it is done
  /// While idle: the time communication had been in flight when the spell began; else `not_idle`.
  std::atomic<ticks> idle_in_flight{not_idle};
  static constexpr ticks not_idle = -1;
  [[nodiscard]] bool idle() const noexcept {
    return idle_in_flight.load(std::memory_order_relaxed) != not_idle;
  }
  account::sums ledger_base{};  ///< what was booked before the last `reset_ledger`
  std::int64_t ledger_base_ns = 0;
  std::uint64_t random = 0;
  std::thread thread;

  // When the clock is read around tasks: before one in `sampled_overhead::period`, after each; but
  // of tasks that take no longer than some readings, after one in sixteen (a fifth of an empty
  // replayed task was the reading after one in eight), in eight while messages are in flight.
  static constexpr int most_unread = 15;
  /// Before a task that is timed.
  [[gnu::noinline]] ticks begin_timed() noexcept {
    const ticks now = now_ticks();
    if (!account_.owes()) between_tasks.learn(now - account_.last());
    account_.charge(activity::overhead, now);
    return now;
  }
  /// After the last of them for now: what follows is not theirs.
  void read_up() noexcept {
    if (account_.owes()) account_.charge(activity::compute, now_ticks());
    unread = 0;
  }
  /// Where no task has run since the last booking: the time since, but for what is owed, was `to`.
  void read_up(activity to) noexcept {
    account_.charge_most(to, now_ticks(), 0);
    unread = 0;
  }
  /// After a task that was not timed: whether the clock is not read, and its time booked later.
  /// `watchful`: somebody wants to know soon that it is late.
  [[nodiscard]] bool leaves_unread(bool watchful) noexcept {
    const int most = watchful ? most_unread / 2 : most_unread;
    if (!tasks_short || unread >= most || between_tasks.is_next_due()) return false;
    ++unread;
    account_.owe(between_tasks.usual());
    return true;
  }
  /// The same for a message that is about to be posted.  `submitting`: what comes before it is part
  /// of its submission, and owed as such.
  [[nodiscard]] bool leaves_post_unread(bool submitting) noexcept {
    if (!posts_short || unread >= most_unread || before_posts.is_next_due()) return false;
    (void)before_posts.is_due();
    ++unread;
    account_.owe(submitting ? 0 : before_posts.usual(), posts.usual());
    return true;
  }
  void learn_post(ticks took) noexcept {
    posts.learn(took);
    posts_short = took < short_task;
  }
  /// After any other.
  [[gnu::noinline]] ticks end_read(bool timed) noexcept {
    const ticks now = now_ticks();
    tasks_short = now - account_.last() < short_task * (unread + 1);
    unread = 0;
    account_.charge_most(activity::compute, now, timed ? 0 : between_tasks.usual());
    return now;
  }

  alignas(128) counters counts;
  returned_nodes returned;
};

}  // namespace plait::detail
