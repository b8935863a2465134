// SPDX-License-Identifier: BSD-3-Clause
/// Chooses who calls MPI: `engine::choice` from options and this rank's share of the cores.  Runs
/// in the thread that makes the engine.
#pragma once

#include <plait/comm/engine.hpp>

namespace plait {

/// Returns the longest time, in seconds, between two looks of a proxy that sleeps, unless it leaves
/// them to workers or nothing has moved for long (`patience`).  Where ranks share a core, each has
/// a part of it only, and each look keeps the core from ranks that could go on: all times between
/// looks are as many times as long.
[[nodiscard]] double longest_delay_s(const engine_options& options, int ranks_a_core = 1);

/// The longest time between two passes of workers that come by often, in seconds.  A proxy leaves
/// looking to such workers.
inline constexpr double frequent_pass_s = 2.5e-3;
/// The longest nap of a proxy that leaves looking to workers, by the shortest.
inline constexpr int longest_nap = 4;

/// Least sleep of an idle worker whose core others want.  To sleep and to look costs some 30 us, an
/// eighth of this.
inline constexpr double least_sleep_s = 250e-6;

/// A proxy that sleeps waits for longer than the worst delay between two looks once nothing has
/// moved for `patience` times that: a part of the wait, up to `longest_distance` worst delays.
inline constexpr int patience = 128;
inline constexpr int longest_distance = 4;

/// Returns the longest time, in seconds, between two looks where the proxy leaves them to workers
/// and a long task follows: the last nap begins up to two `frequent_pass_s` after the last pass
/// (worker_passes::are_frequent), and is up to `longest_nap` times the shortest.
[[nodiscard]] double longest_delay_beside_workers_s(const engine_options& options,
                                                    int ranks_a_core = 1);

/// `fair_share`: cores of this rank's.  Any thread.
[[nodiscard]] engine::choice choose_policy(const engine_options& options, int fair_share,
                                           int ranks_a_core = 1);

}  // namespace plait
