// SPDX-License-Identifier: BSD-3-Clause
/// The computation that communication is to be hidden behind: memory that fits a first-level cache,
/// one multiplication and one addition a value.
#pragma once

#include <vector>

namespace plait::bench {

/// What one piece of the work computes on.
using values = std::vector<double>;

[[nodiscard]] values initial_values();

/// Updates 64 values, cyclically, `units` times.  A unit takes some 10 to 50 ns.
void work(values& on, long units);

/// Units of piece `index` of `pieces` that `units` are cut into, as evenly as that goes.
[[nodiscard]] constexpr long units_of_piece(long units, int pieces, int index) noexcept {
  return units * (index + 1) / pieces - units * index / pieces;
}

/// Seconds of a unit, measured for `window_s`.
[[nodiscard]] double unit_seconds(double window_s);

}  // namespace plait::bench
