// SPDX-License-Identifier: BSD-3-Clause
/// One repetition of one row: everything its figures need, measured one after the other.
#pragma once

#include <cstddef>

#include <plait/plait.hpp>

#include "measure/rows/measured_rows.hpp"
#include "ways.hpp"

namespace plait::network::nbc {

/// Holds what is asked of every way, in each of `steps` steps.
struct collective_load {
  const operation* what = nullptr;
  std::size_t size_bytes = 0;
  long units = 0;  ///< of work
  int pieces = 1;
  int steps = 1;
};

/// Mean seconds of a step of the blocking call on this rank.  Collective.
[[nodiscard]] double blocking_alone_s(environment& env, buffers& data, int steps);

/// One repetition.  The figures are on rank 0, elsewhere there are none.  Collective.  Errors:
/// plait::error where an operation brings wrong data.
[[nodiscard]] measure::json measure_row(environment& env, const named_way& how,
                                        const collective_load& load);

}  // namespace plait::network::nbc
