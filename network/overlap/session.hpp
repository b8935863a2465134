// SPDX-License-Identifier: BSD-3-Clause
/// One session: every way, size and direction, in turns.
#pragma once

#include <cstddef>
#include <vector>

#include <plait/plait.hpp>

#include "measure/rows/measured_rows.hpp"
#include "ways.hpp"

namespace plait::network::overlap {

struct session_options {
  std::vector<std::size_t> sizes;
  std::vector<named_way> ways;
  int pieces = 16;
  double sample_s = 0.05;  ///< about how long one measurement takes
  measure::repetition_options repetition;
};

/// The rows of the result on rank 0.  Two ranks.  Collective.
[[nodiscard]] measure::json measure(environment& env, const session_options& wanted);

}  // namespace plait::network::overlap
