// SPDX-License-Identifier: BSD-3-Clause
/// Gives a rank the durations of another, its delays begun at a drawn place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/simulate/program.hpp>

namespace plait::simulate {

/// Returns a number that depends on every bit of all three.
[[nodiscard]] std::uint64_t drawn_number(std::uint64_t seed, std::uint64_t which, std::uint64_t of);

/// Calculations that may exchange their durations: of one name, between messages of the same sizes.
/// The first of each name and size is left out, since it is cold.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> exchangeable(const rank_template& one);

/// Returns what each operation has in common on ranks with the same ones: the median of its
/// durations, the lower one of two.  `ranks`: one or more.
[[nodiscard]] std::vector<std::uint64_t> usual_durations(
    std::span<const rank_template* const> ranks);

/// Rotates by how much durations are off their `usual` ones, within each group and by a number
/// drawn for `rank`.  So steps that are long on all ranks stay in their places.  Sums stay, but
/// that no duration is less than nothing.
void rotate_durations(rank_template& one, std::span<const std::uint64_t> usual,
                      const std::vector<std::vector<std::uint32_t>>& groups, std::uint64_t seed,
                      std::uint32_t rank);

}  // namespace plait::simulate
