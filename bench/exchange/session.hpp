// SPDX-License-Identifier: BSD-3-Clause
/// One session: all contestants and what they are held against, in turns, at every size and ratio.
#pragma once

#include <cstddef>
#include <vector>

#include <plait/plait.hpp>

#include "contestants.hpp"
#include "measure/rows/measured_rows.hpp"

namespace plait::bench::exchange {

struct session_options {
  std::vector<std::size_t> sizes;
  std::vector<double> ratios;  ///< work by communication alone
  std::vector<contestant> contestants;
  int pieces = 8;
  int workers = 1;
  int working_ranks = 2;   ///< 1: rank 1 only exchanges, and leaves its core to what helps rank 0
  double sample_s = 0.02;  ///< about how long one measurement takes
  measure::repetition_options repetition;
};

/// The rows of the result on rank 0.  Collective.
[[nodiscard]] measure::json measure(environment& env, const session_options& wanted);

/// One row more for the rows of an earlier job: `one` doing the work of that job, held against its
/// base and bound.  Collective.  Errors: usage_error where they are no rows of this benchmark.
[[nodiscard]] measure::json measure_beside(environment& env, const measure::json& earlier_rows,
                                           const contestant& one, const session_options& wanted);

}  // namespace plait::bench::exchange
