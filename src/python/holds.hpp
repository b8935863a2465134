// SPDX-License-Identifier: BSD-3-Clause
/// Holds of tasks that something else finishes.
#pragma once

#include <string>
#include <utility>

#include "python/tasks.hpp"

namespace plait_python {

/// A hold of a task, which is released or failed once; destroyed without either it fails the task.
/// Holder of the interpreter's lock, which `finish_with` gives away meanwhile.
class task_hold {
 public:
  task_hold(plait_hold* one, task_closure& of) noexcept : hold_(one), of_(&of) {}
  task_hold(task_hold&& other) noexcept
      : hold_(std::exchange(other.hold_, nullptr)), of_(other.of_) {}
  task_hold& operator=(task_hold&&) = delete;
  ~task_hold();

  /// Errors of all: UsageError for a hold that was released or failed.
  void release();
  /// `why`: an exception, which the program's next wait raises, or its text.
  void fail(nb::object why);
  [[nodiscard]] task_hold another() const;
  /// Releases it when the request of mpi4py has completed; the request is plait's from now on.
  void finish_with(nb::object request);
  /// Releases it if nobody has.
  void let_go() noexcept { (void)plait_hold_release(&hold_); }

 private:
  int fail_with(nb::object raised, const char* why);

  plait_hold* hold_;
  task_closure* of_;  ///< lives as long as the task is held
};

/// `run_held` of a closure, for plait: calls the function with a hold as its last argument.
int run_held(void* closure, plait_hold* until);

}  // namespace plait_python
