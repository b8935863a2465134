// SPDX-License-Identifier: BSD-3-Clause
/// How much of a rank's waits the computation around them could hide if calls were moved.  Pure
/// arithmetic.
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

/// Returns for each wait, in the order of time, at most which part of it computation could hide.
///
/// Waits with little computation in between are one phase, as those for one neighbour after another
/// are.  All messages of a phase can be under way during the computation before it, whose results
/// they carry, and the one after it, which needs them, and no program has more to hide them behind
/// without waiting for them elsewhere.  Little is less than most of what a moment of computation
/// usually is a part of: so short computation between waits, such as packing, parts no phase.  The
/// longer phases are the larger is the figure, and it stays an upper limit.
[[nodiscard]] std::vector<double> parts_to_hide(std::span<const wait_in_phase> waits,
                                                ticks computed_in_all);

}  // namespace plait::attach
