// SPDX-License-Identifier: BSD-3-Clause
/// Gives a rank the durations of another, begun at a drawn place.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/simulate/program.hpp>

namespace plait::simulate {

/// Returns a number that depends on every bit of all three.
[[nodiscard]] std::uint64_t drawn_number(std::uint64_t seed, std::uint64_t which, std::uint64_t of);

/// Calculations that may exchange their durations: of one name, between messages of the same sizes.
/// The first of each name and size is left out, since it is cold.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> exchangeable(const rank_template& one);

/// Rotates the durations within each group by a number drawn for `rank`.  Their sums stay.
void rotate_durations(rank_template& one, const std::vector<std::vector<std::uint32_t>>& groups,
                      std::uint64_t seed, std::uint32_t rank);

}  // namespace plait::simulate
