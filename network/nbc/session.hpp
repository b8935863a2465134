// SPDX-License-Identifier: BSD-3-Clause
/// One session: all ways, what they are held against and the processor share, in turns, at every
/// operation and size.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <plait/plait.hpp>

#include "measure/rows/measured_rows.hpp"
#include "ways.hpp"

namespace plait::network::nbc {

struct session_options {
  std::vector<const operation*> operations;
  std::vector<std::size_t> sizes;
  std::vector<named_way> ways;
  std::vector<int> communicator_sizes;
  double work_ratio = 1;  ///< work by the blocking call's time
  int pieces = 16;
  /// In place of `pieces`: one, and so a test, for so many bytes of a case's size.
  std::optional<std::size_t> test_bytes;
  double sample_s = 0.05;  ///< about how long one measurement takes
  measure::repetition_options repetition;
};

/// The rows of the result on rank 0.  Collective.
[[nodiscard]] measure::json measure(environment& env, const session_options& wanted);

}  // namespace plait::network::nbc
