// SPDX-License-Identifier: BSD-3-Clause
/// METG(50 %): the smallest average task duration at which efficiency is at least 50 %.
#pragma once

#include <functional>
#include <optional>

namespace plait::bench::metg {

/// One run of a sweep.
struct sweep_point {
  double task_s = 0;  ///< elapsed x cores / tasks
  /// tasks x iterations x seconds of an iteration alone / (elapsed x cores)
  double efficiency = 0;
};

inline constexpr double wanted_efficiency = 0.5;

/// Halves the iterations from `start` until efficiency is below one half, or doubles them until it
/// is not, and interpolates the logarithm of the task duration between the last two runs.  Where
/// one iteration is efficient enough, its duration.  Nothing where tasks would have to be longer
/// than `longest_s`.  [Task Bench, Slaughter et al. 2020]
[[nodiscard]] std::optional<double> metg_s(const std::function<sweep_point(long iterations)>& run,
                                           long start, double longest_s);

}  // namespace plait::bench::metg
