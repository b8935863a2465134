// SPDX-License-Identifier: BSD-3-Clause
/// All that tasks know of communication: something that can be driven, and that may be in flight.
#pragma once

#include <limits>

#include <plait/core/clock.hpp>

namespace plait {

/// Drives operations that finish outside of any worker.  The scheduler calls it from idle workers
/// and, when that is due, between two tasks.  Thread-safe, all of it.
class progress_source {
 public:
  static constexpr ticks never = std::numeric_limits<ticks>::max();

  virtual ~progress_source() = default;

  /// Moves operations on.  Returns whether anything was started or completed.  `again`: an idle
  /// worker polls without pause, and this is not its first time.
  virtual bool poll(bool again) = 0;

  /// Begins several starts of operations, one after the other in this thread, which may then be
  /// cheaper.  Returns whether they end with `starts_end`.
  [[nodiscard]] virtual bool starts_begin() { return false; }
  virtual void starts_end() {}

  /// Tells an idle worker what to do next: poll again at once (0), sleep for so long and poll then,
  /// or sleep until it is woken, because others poll or nothing is in flight (`never`).  The worker
  /// has looked for work without sleeping since `awake_since`.
  [[nodiscard]] virtual ticks idle_wait(ticks awake_since) = 0;

  /// Returns whether idle workers have a part in driving operations, so that a new one must wake a
  /// sleeping worker.  Always the same.
  [[nodiscard]] virtual bool needs_idle_workers() const noexcept = 0;

  /// Ticks from the beginning until `now` during which at least one operation was in flight.
  [[nodiscard]] virtual ticks in_flight_until(ticks now) const = 0;

  /// Gives up operations that may never complete; called once when a task has failed.  Returns
  /// false if some can neither complete nor be given up: their memory is still in use.
  [[nodiscard]] virtual bool cancel() = 0;

  /// Returns when a worker that has work shall nevertheless poll, or `never`.  Asked after every
  /// task: cheap.
  [[nodiscard]] virtual ticks due_at() const noexcept = 0;

  /// A worker has ended a task at `now` while `due_at` was not `never`, so that others know how
  /// often workers come by.  Not said of every short task.
  virtual void passed(ticks now) noexcept = 0;
};

}  // namespace plait
