// SPDX-License-Identifier: BSD-3-Clause
/// The computation that communication is to be hidden behind: memory that fits a first-level cache,
/// one multiplication and one addition a value.
#pragma once

#include <array>
#include <vector>

namespace plait::bench {

/// What a unit of work updates.  It lies on cache lines of its own: loads that straddle two would
/// make the same work take twice as long, or not, by where an allocation happened to fall.
struct alignas(64) value_block {
  std::array<double, 64> value;
};

/// What one piece of the work computes on.
using values = std::vector<value_block>;

[[nodiscard]] values initial_values();

/// Updates one block, cyclically, `units` times.  A unit takes some 10 to 50 ns.
void work(values& on, long units);

/// Units of piece `index` of `pieces` that `units` are cut into, as evenly as that goes.
[[nodiscard]] constexpr long units_of_piece(long units, int pieces, int index) noexcept {
  return units * (index + 1) / pieces - units * index / pieces;
}

/// Seconds of a unit, measured for `window_s`.
[[nodiscard]] double unit_seconds(double window_s);

}  // namespace plait::bench
