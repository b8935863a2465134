// SPDX-License-Identifier: BSD-3-Clause
/// The critical path of a run: the chain of tasks and messages that its duration is the length of.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <plait/trace/event.hpp>

namespace plait {

/// A stretch of the critical path: an event, or part of one, or what lay between two.
struct path_step {
  static constexpr std::size_t no_event = static_cast<std::size_t>(-1);

  std::string name;
  event_kind kind = event_kind::compute;
  int rank = 0;
  double begin_s = 0;
  double end_s = 0;
  std::size_t event = no_event;   ///< place in the list of events
  std::size_t posted = no_event;  ///< of a message that the other side posted last: that side
};

/// Returns the critical path of one run, given the events of all ranks on one clock.  In order of
/// time.  Each step begins where its predecessor ended.
///
/// The path is found backwards from the last work or wait of the workers.  A task began when it was
/// ready and its worker was free.  Its predecessor is the event that released the task or the event
/// that its worker ran before, whichever ended later.  A message arrived because both sides had
/// posted it.  Its predecessor is the event that released the later post.  Time that no event
/// accounts for is `exposed` or `idle` where the worker of the next step was, and `overhead`
/// otherwise: plait itself, as in the ledger, for the program's own code between its calls is
/// events of the submitting thread.  Events without an id (that code, and programs that are not
/// made of tasks) are taken to have waited for the last message that arrived, or the last task that
/// another worker ended, while their worker was idle. [Böhme et al.  2012: Scalasca's critical
/// path, by backward replay]
[[nodiscard]] std::vector<path_step> critical_path(std::span<const trace_event> events);

/// Sets `critical` of the events on the path.
void mark_critical(std::span<trace_event> events, std::span<const path_step> path);

}  // namespace plait
