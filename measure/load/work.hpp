// SPDX-License-Identifier: BSD-3-Clause
/// The computation that communication is to be hidden behind: one multiplication and one addition
/// for each value that is read and written.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace plait::measure {

/// Holds what a unit of work updates.  It lies on cache lines of its own: loads that straddle two
/// would make the same work take twice as long, or not, by where an allocation happened to fall.
struct alignas(64) value_block {
  std::array<double, 64> value;
};

/// Holds what one piece of the work computes on.
using values = std::vector<value_block>;

/// Number of blocks that fit a first-level cache.
inline constexpr std::size_t blocks_in_cache = 32;  // 16 KiB

[[nodiscard]] values initial_values(std::size_t blocks = blocks_in_cache);

/// Updates one block after the other, cyclically, `units` in all.  A unit takes some 10 to 50 ns in
/// the cache.  Precondition: `on` is not empty.
void work(std::span<value_block> on, long units);

/// Units of piece `index` of `pieces` that `units` are cut into, as evenly as that goes.
[[nodiscard]] constexpr long units_of_piece(long units, int pieces, int index) noexcept {
  return units * (index + 1) / pieces - units * index / pieces;
}

/// Seconds of a unit on so many blocks, measured for `sample_s`.
[[nodiscard]] double unit_seconds(double sample_s, std::size_t blocks = blocks_in_cache);

}  // namespace plait::measure
