// SPDX-License-Identifier: BSD-3-Clause
/// Chooses who calls MPI: `engine::choice` from options and this rank's share of the cores.  Runs
/// in the thread that makes the engine.
#pragma once

#include <plait/comm/engine.hpp>

namespace plait {

/// The longest time between two looks of a proxy that sleeps.
[[nodiscard]] double longest_delay_s(const engine_options& options);

/// By how much that grows for a proxy beside workers that have long come by often.
inline constexpr int longest_nap = 4;

/// `fair_share`: cores of this rank's.  Any thread.
[[nodiscard]] engine::choice choose_policy(const engine_options& options, int fair_share);

}  // namespace plait
