// SPDX-License-Identifier: BSD-3-Clause
/// The first failure of a task since the last wait.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <plait/core/exception_text.hpp>
#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// Any thread, except where something else is said.
class first_failure {
 public:
  /// `settle`: `scheduler_options::settle`.
  explicit first_failure(std::function<void()> settle) : settle_(std::move(settle)) {}

  /// Returns whether there is one, in the total order in which a sleeper is woken (event_count).
  [[nodiscard]] bool happened() const noexcept { return has_.load(std::memory_order_seq_cst); }
  /// Returns it as far as this thread has heard, and then what was done before it was recorded is
  /// seen too.
  [[nodiscard]] bool is_known() const noexcept { return has_.load(std::memory_order_acquire); }

  /// Keeps the failure of `task`, if a task has thrown it; whoever prints the exception is to name
  /// the task.  `error` may be null: then nothing is rethrown.
  /// Returns whether nothing had failed.
  [[nodiscard]] bool record(std::exception_ptr error, const task_node* task) noexcept {
    {
      std::lock_guard lock(mutex_);
      if (error_ == nullptr) {
        if (task != nullptr && error != nullptr) note_origin(error, place_of(*task));
        error_ = std::move(error);
      }
    }
    return !has_.exchange(true, std::memory_order_seq_cst);
  }
  [[nodiscard]] std::string text() {
    std::lock_guard lock(mutex_);
    if (error_ != nullptr) return exception_text(error_);
    return "dropped while another exception unwinds the stack";
  }

  /// Returns true once for each failure: messages in flight are to be given up.  Submitting thread.
  [[nodiscard]] bool is_new() noexcept { return happened() && !std::exchange(was_seen_, true); }
  /// Forgets the failure and returns it.  Submitting thread, no task in flight.
  [[nodiscard]] std::exception_ptr take() {
    if (settle_) settle_();
    std::exception_ptr error;
    {
      std::lock_guard lock(mutex_);
      error = std::exchange(error_, nullptr);
    }
    has_.store(false, std::memory_order_seq_cst);
    was_seen_ = false;
    return error;
  }

  /// Returns "task 'relax', iteration 3".  A task that is not finished.
  [[nodiscard]] static std::string place_of(const task_node& task) {
    std::string text = std::string("task '") + task.name + "'";
    if (task.recorded != nullptr) text += ", iteration " + std::to_string(iteration_of(task) + 1);
    return text;
  }

 private:
  const std::function<void()> settle_;
  std::atomic<bool> has_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
  bool was_seen_ = false;
};

}  // namespace plait::detail
