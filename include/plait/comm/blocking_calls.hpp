// SPDX-License-Identifier: BSD-3-Clause
/// Lets a blocking MPI call find out that it may suspend the task that made the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include <plait/comm/engine.hpp>
#include <plait/core/clock.hpp>

namespace plait {

/// A message of a blocking call in a task.
struct blocking_message {
  bool sent = false;
  int peer = 0;  ///< among all ranks
  int tag = 0;
  std::uint32_t communicator = 0;  ///< the same number on all its ranks
  std::size_t size_bytes = 0;
  ticks begin = 0;
};

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
  /// Returns whether the running task's messages are to be told.
  [[nodiscard]] virtual bool wants_messages() const noexcept { return false; }
  /// Returns the runtime's engine, or null.
  [[nodiscard]] virtual engine* messages() noexcept { return nullptr; }
  /// Tells a message of the task that calls, which has completed.  With the token.
  virtual void completed(const blocking_message&) {}
  /// Tells that the task has called MPI for messages that are not told: "collectives".  With the
  /// token.
  virtual void not_told(std::string_view) {}
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
