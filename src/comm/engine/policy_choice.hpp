// SPDX-License-Identifier: BSD-3-Clause
/// Chooses who calls MPI: `engine::choice` from options and this rank's share of the cores.  Runs
/// in the thread that makes the engine.
#pragma once

#include <plait/comm/engine.hpp>

namespace plait {

/// Returns the longest time, in seconds, between two looks of a proxy that sleeps, unless it leaves
/// them to workers or nothing has moved for long (`look_numbers::patience`).  Where ranks share a
/// core, each has a part of it only, and each look keeps the core from ranks that could go on: all
/// times between looks are as many times as long.
[[nodiscard]] double longest_delay_s(const engine_options& options, int ranks_a_core = 1);

/// Returns the longest time, in seconds, between two looks where the proxy leaves them to workers
/// and a long task follows: the last nap begins up to two worst delays after the last pass
/// (worker_passes::are_frequent), and lasts up to `look_numbers::longest_leave` worst delays.
[[nodiscard]] double longest_delay_beside_workers_s(const engine_options& options,
                                                    int ranks_a_core = 1);

/// `fair_share`: cores of this rank's.  Any thread.
[[nodiscard]] engine::choice choose_policy(const engine_options& options, int fair_share,
                                           int ranks_a_core = 1);

}  // namespace plait
