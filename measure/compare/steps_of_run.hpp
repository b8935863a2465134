// SPDX-License-Identifier: BSD-3-Clause
/// Steps of a run whose tasks no barrier separates, and what its workers have waited for.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

#include "step_range.hpp"
#include "variant.hpp"

namespace plait::measure {

/// Keeps in `to`, of a run's events, those of the steps `kept`.  Steps overlap, and tasks of
/// several take turns, so they are the share of the run's tasks, in the order in which they ran,
/// that so many of its `steps` are; and whatever else happened meanwhile.  A whole run began at
/// `began_s`, with its messages.
void keep_steps(run_report& to, std::vector<trace_event> events, double began_s, int steps,
                const step_range& kept);

/// Returns the seconds in which workers had nothing to run while a message was on its way, and
/// which ended with the arrival of one whose name has `part`; of all workers.
[[nodiscard]] double waited_for_s(std::span<const trace_event> events, std::string_view part);

}  // namespace plait::measure
