// SPDX-License-Identifier: BSD-3-Clause
/// Phases of a rank's run, and what their computation could hide of their waits.  Pure arithmetic.
#pragma once

#include <plait/core/cxx20.hpp>

#include <span>
#include <vector>

#include <plait/core/clock.hpp>

namespace plait::attach {

struct wait_in_phase {
  ticks computed_before = 0;  ///< by the rank, from the start of the run
  ticks waited = 0;
};

/// Returns for each wait, in the order of time, at most which part of it computation could hide if
/// calls were moved.
///
/// Waits with little computation in between are one phase, as those for one neighbour after another
/// are.  All messages of a phase can be under way during the computation before it, whose results
/// they carry, and during the one after it, which needs them.  A moment of computation hides a
/// moment of one phase, not of both beside it: their messages share the network.
///
/// "Little" is less than most of the computation that a moment usually is a part of.  So packing
/// between waits parts no phase.  The longest fiftieth is not usual: a long set-up says nothing of
/// the steps.  Where phases become one, the figure grows, and stays an upper limit.
[[nodiscard]] std::vector<double> parts_to_hide(std::span<const wait_in_phase> waits,
                                                ticks computed_in_all);

}  // namespace plait::attach
