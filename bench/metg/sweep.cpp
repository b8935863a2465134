// SPDX-License-Identifier: BSD-3-Clause
#include "sweep.hpp"

#include <cmath>

namespace plait::bench::metg {
namespace {

double between(const sweep_point& below, const sweep_point& enough) {
  const double share =
      (wanted_efficiency - below.efficiency) / (enough.efficiency - below.efficiency);
  return std::exp((1 - share) * std::log(below.task_s) + share * std::log(enough.task_s));
}

}  // namespace

std::optional<double> metg_s(const std::function<sweep_point(long iterations)>& run, long start,
                             double longest_s) {
  long iterations = start;
  sweep_point now = run(iterations);
  while (now.efficiency < wanted_efficiency) {
    if (now.task_s > longest_s) return std::nullopt;
    const sweep_point below = now;
    iterations *= 2;
    now = run(iterations);
    if (now.efficiency >= wanted_efficiency) return between(below, now);
  }
  while (iterations > 1) {
    const sweep_point enough = now;
    iterations /= 2;
    now = run(iterations);
    if (now.efficiency < wanted_efficiency) return between(now, enough);
  }
  return now.task_s;
}

}  // namespace plait::bench::metg
