// SPDX-License-Identifier: BSD-3-Clause
/// Measures G where both ranks send at once, beside one rank alone.
#pragma once

#include <cstddef>
#include <vector>

#include <plait/plait.hpp>

#include "measure/base/gather.hpp"
#include "measure/compare/turns.hpp"

namespace plait::network::loggp {

/// Seconds per byte of one direction, one for each round, of a flood of messages of one size.
struct flood_times {
  std::size_t size_bytes = 0;
  int messages = 0;                 ///< in flight at once, each way
  std::vector<double> one_way_s;    ///< the first rank alone sends
  std::vector<double> both_ways_s;  ///< both send
};

/// Measures each size in turn, `repetition.repeat` times after a round that does not count.
/// Collective over the pair.  Errors: `flood_pair::run`'s.
[[nodiscard]] std::vector<flood_times> measure_floods(
    flood_pair& pair, const std::vector<std::size_t>& sizes_bytes,
    const measure::repetition_options& repetition);

/// "floods" of the result: for each size the spreads of both, and their ratio by medians.
[[nodiscard]] measure::json floods_of(const std::vector<flood_times>& measured);

/// A line for each size on standard output.
void print(const std::vector<flood_times>& measured);

}  // namespace plait::network::loggp
