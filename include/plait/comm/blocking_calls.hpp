// SPDX-License-Identifier: BSD-3-Clause
/// Lets a blocking MPI call find out that it may suspend the task that made the call.
#pragma once

#include <functional>

#include <plait/comm/engine.hpp>

namespace plait {

/// One for each runtime of the process; asked by plait::blocking_mpi, the target that stands in for
/// MPI's blocking functions where it is linked.  [MPI/SMPSs, section 2.2]  Thread-safe.
class blocking_calls {
 public:
  enum class caller { elsewhere, program, task };

  virtual ~blocking_calls() = default;
  /// Says how the running code relates to this runtime.
  [[nodiscard]] virtual caller who_calls() const noexcept = 0;
  /// The token, as engine's; for std::lock_guard.
  virtual void lock() = 0;
  virtual void unlock() = 0;
  /// From a task: returns when `what` has finished (true) or is given up after a failure (false);
  /// the worker runs other tasks meanwhile.
  [[nodiscard]] virtual bool suspend_until(awaited& what) = 0;
  /// From the program: works until `done()`, which is called without the token.
  virtual void work_until(const std::function<bool()>& done) = 0;

  static void install(blocking_calls& of_runtime);
  static void remove(blocking_calls& of_runtime);
  /// Returns the runtime in whose task or program the running code is, or null.
  [[nodiscard]] static blocking_calls* here();

  /// True if MPI's functions are intercepted in this program.  Set before `main`.
  static bool linked;
};

}  // namespace plait
