// SPDX-License-Identifier: BSD-3-Clause
/// Keeps a task unfinished when its function has returned: children, and holds.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include <plait/core/clock.hpp>
#include <plait/task/detail/dependence_tracker.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/scheduler.hpp>

#include "task/scheduler/worker.hpp"

namespace plait::detail {

/// Tasks that one task, the parent, has submitted.  Dependences are among these children only: to
/// everybody else they are part of the parent, whose accesses cover theirs, and which is finished
/// when its function has returned and they are.
///
/// The function of the parent, on whatever thread it runs, is the submitting thread of the
/// classes used here.
class brood {
 public:
  /// A node that is free.  The parent's function.
  [[nodiscard]] task_node& take_node() {
    if (free_ == nullptr) free_ = returned.take_all();
    if (free_ == nullptr) return nodes_.emplace_back();
    return *std::exchange(free_, free_->next_free);
  }

  dependence_tracker tracker{small_cache};
  node_stack returned;
  task_node* open_submission = nullptr;

 private:
  static constexpr std::size_t small_cache = 16;

  std::deque<task_node> nodes_;
  task_node* free_ = nullptr;
};

/// A task with children, with holds, or with both.  A hold is a child without a node.
///
/// Any thread releases a hold, which is one atomic subtraction from `unfinished`; whoever brings it
/// to 0 is the last that knows the family, and alone with the parent (`leave_family`).
class family {
 public:
  /// Children, open holds, and the parent's function.
  std::atomic<std::int64_t> unfinished{1};
  /// Of `unfinished`, for reports: lowered before it is.
  std::atomic<std::int64_t> open_holds{0};
  task_node* parent = nullptr;
  scheduler::implementation* home = nullptr;
  std::unique_ptr<brood> children;  ///< null while there have been none
  bool has_messages = false;        ///< the parent's function
  bool has_holds = false;           ///< the parent's function
  bool counts = false;  ///< the parent counts against the limit while it is held; its function
  /// A hold was failed.  Written before that hold is let go, read when all are.
  std::atomic<bool> has_failed{false};

  // Of `held_tasks`, under its lock; `held_since` 0: not among them.
  ticks held_since = 0;
  family* held_before = nullptr;
  family* held_after = nullptr;

  family* next_free = nullptr;  ///< of `family_pool`
};

/// Families that are not in use.  A worker takes, any worker gives back.  Of those that have been
/// given back a worker takes all, and keeps them for itself.
class family_pool {
 public:
  [[nodiscard]] family& take(worker& w) {
    if (w.free_families == nullptr) w.free_families = returned_.take_all();
    if (w.free_families == nullptr) return make();
    family& one = *w.free_families;
    w.free_families = one.next_free;
    return one;
  }
  void give(family& one) noexcept {
    one.unfinished.store(1, std::memory_order_relaxed);
    one.children.reset();
    one.has_messages = false;
    one.has_holds = false;
    one.counts = false;
    one.has_failed.store(false, std::memory_order_relaxed);
    returned_.push(one);
  }

 private:
  [[gnu::noinline]] family& make() {
    std::lock_guard lock(mutex_);
    return all_.emplace_back();
  }

  linked_stack<family, &family::next_free> returned_;
  std::mutex mutex_;
  std::deque<family> all_;
};

}  // namespace plait::detail
