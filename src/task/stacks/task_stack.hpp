// SPDX-License-Identifier: BSD-3-Clause
/// Stacks of their own for tasks that may be suspended.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <plait/task/detail/node.hpp>

#include "task/stacks/stack_memory.hpp"

namespace plait::detail {

class access_checker;

/// A stack on which one task at a time runs until it ends or suspends itself.  Any thread may enter
/// it, one at a time; a task that was suspended may so go on in another thread.
class task_stack {
 public:
  /// `memory` must outlive it.
  explicit task_stack(std::span<std::byte> memory);
  ~task_stack();
  task_stack(const task_stack&) = delete;
  task_stack& operator=(const task_stack&) = delete;

  /// Runs `node` from its beginning, if there is a checker by it; `enter` does.
  void take(task_node& node, node_action action, access_checker* checker) noexcept;
  /// From a worker's stack: goes on with the task until it ends (true) or calls `leave` (false).
  [[nodiscard]] bool enter();
  /// From the task's stack: back to whoever entered it; returns when the next one enters.
  void leave();
  /// Returns the exception that the task threw, or null, after the task has ended.
  [[nodiscard]] std::exception_ptr take_failure() noexcept;

 private:
  struct context;
  std::unique_ptr<context> context_;
};

/// Stacks that are free.  Thread-safe.
class stack_pool {
 public:
  explicit stack_pool(std::size_t stack_bytes) : memory_(stack_bytes) {}

  /// Errors: `error` where there is no memory for one more.
  [[nodiscard]] std::unique_ptr<task_stack> take() {
    std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<task_stack>(memory_.next());
    auto stack = std::move(free_.back());
    free_.pop_back();
    return stack;
  }
  void give(std::unique_ptr<task_stack> stack) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(stack));
  }

 private:
  std::mutex mutex_;
  stack_memory memory_;
  std::vector<std::unique_ptr<task_stack>> free_;
};

}  // namespace plait::detail
