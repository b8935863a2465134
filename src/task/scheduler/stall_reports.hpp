// SPDX-License-Identifier: BSD-3-Clause
/// Reports that nothing moves.
#pragma once

#include <functional>

#include <plait/core/clock.hpp>
#include <plait/task/scheduler_options.hpp>
#include <plait/task/stall.hpp>

#include "task/graphs/replayed_graph.hpp"
#include "task/held/held_tasks.hpp"
#include "task/scheduler/crew.hpp"
#include "task/scheduler/stall_watch.hpp"
#include "task/scheduler/submitted_tasks.hpp"

namespace plait::detail {

/// Looks at the tasks in flight while other threads run and finish them.  Submitting thread, in an
/// idle spell.
class stall_reports {
 public:
  explicit stall_reports(const scheduler_options& options);

  /// Returns the watch of an idle spell: of the submitting thread, else one that is never due.
  [[nodiscard]] stall_watch watch(bool submits, ticks begin) const noexcept {
    return {submits ? period_ : progress_source::never, begin};
  }
  /// Reports a stall if `watch` finds one.  `replaying` may be null.  `in_flight`: communication
  /// is, such as a request that finishes a held task.
  void look(stall_watch& watch, const crew& threads, const submitted_tasks& tasks,
            const replayed_graph* replaying, const held_tasks& open, bool in_flight) const;
  /// From now on a standstill in which only holds are open ends the job, in a line that names the
  /// tasks.  `unwinds`: an exception leaves the program, and what is held gets a second.
  void end_begins(bool unwinds) noexcept;

 private:
  const std::function<void(const stall&)> report_;
  const ticks stall_period_;
  ticks period_;  ///< `never` without `report_`, until the end begins
  bool ends_ = false;
};

}  // namespace plait::detail
