// SPDX-License-Identifier: BSD-3-Clause
/// Says how a scheduler runs its tasks.
#pragma once

#include <cstddef>
#include <functional>

#include <plait/task/progress_source.hpp>
#include <plait/task/stall.hpp>

namespace plait {

/// Says how a scheduler runs its tasks.
struct scheduler_options {
  static constexpr std::size_t usual_in_flight = 4096;
  /// Threads that run tasks, the submitting one included.  0: one for each core this process may
  /// use; of a runtime: one for each of its rank's cores.
  int workers = 0;
  /// In-flight limit (promise 4): at most so many tasks are submitted and neither finished nor, if
  /// they are communication, started.  0: `usual_in_flight`.
  std::size_t in_flight = 0;
  /// Other processes want the cores too: idle workers sleep at once instead of spinning first.  A
  /// runtime sets it.
  bool oversubscribed = false;
  /// Each task runs on a stack of its own of so many bytes, so that it can be suspended.  Only the
  /// part that the task touches takes memory.  At least 16 KiB.  0: tasks run on the workers'
  /// stacks; of a runtime where plait::blocking_mpi is linked: 1 MiB.  No effect on a runtime where
  /// it is not.
  std::size_t task_stack_bytes = 0;
  /// Gives recorded tasks without a priority one by the times of tasks and messages in the first
  /// iterations: those on the way to a send go before others.  Off: for comparison.
  bool measured_priorities = true;
  /// Driven by idle workers; may be null.  Must outlive the scheduler.  A runtime sets it.
  progress_source* progress = nullptr;
  /// Seconds after which `stalled` is called once for each standstill.  A standstill is a time in
  /// which the submitting thread has nothing to run and nothing starts or finishes.  `stalled` runs
  /// on that thread, and the thread goes on waiting.  It may complete asynchronous tasks, but
  /// neither submit nor wait.  0 or less, or no `stalled`: never.  A runtime sets `stalled`, to
  /// write a report, and lets the environment variable PLAIT_STALL_REPORT_S override the seconds.
  double stall_report_s = 30;
  std::function<void(const stall&)> stalled = {};
  /// Called on the thread that waits, before it rethrows a failure: all tasks are finished.  For
  /// memory that others may still use then.  Does not throw.  A runtime sets it.
  std::function<void()> settle = {};
  /// Compares each task's reads and writes with its accesses.  An undeclared one is an access_error
  /// at `wait`.  Slow.  The scheduler then has one worker, whatever `workers` says.  The
  /// environment variable PLAIT_CHECKED (0 or 1) overrides this option.  See docs/use/checked.md.
  bool checked = false;
};

}  // namespace plait
