// SPDX-License-Identifier: BSD-3-Clause
/// Predicts what an iteration takes by the model: what blocks, what overlaps, and what is left of
/// the network then.  Arithmetic alone.
#pragma once

#include <vector>

#include <plait/plait.hpp>

#include "domain.hpp"

namespace poisson {

/// An iteration of the largest block's rank, in seconds.
struct predicted_iteration {
  int ranks = 1;
  double computation_s = 0;
  double exchange_s = 0;            ///< its messages, back to back
  double exchange_processor_s = 0;  ///< of that, what no overlap hides
  double reduction_s = 0;           ///< one sum over all ranks
  double base_s = 0;
  double overlapped_s = 0;  ///< olap and plait
  double pipelined_s = 0;
};

/// Memory traffic says how the time of a cell is divided, in bytes: turn 40 (x and p read and
/// written, r read), product 24 (p read, w written, and fetched before), shorten 24 (r read and
/// written, w read); of pipelined CG's iteration the product is 24 and the rest 104.
///
///   base       = computation + exchange + 2 reduction
///   overlapped = max(beside, exchange - its processor time) + what is left of the computation
///                + the exchange's processor time + 2 reduction;
///                beside: turn and product of the cells that need no ghosts
///   pipelined  = the same with one reduction, which the product hides, and 128 / 88 of the
///                computation
[[nodiscard]] predicted_iteration predict(const domain& whole, int ranks, double seconds_per_cell,
                                          const plait::model::parameters& network);

/// Predicts on other numbers of ranks up to `most`, of those the grid can be divided among: 1, 2, 4
/// and the multiples of 8  [libnbc-slides, slide 30].
[[nodiscard]] std::vector<predicted_iteration> predict_over_ranks(
    const domain& whole, int most, double seconds_per_cell,
    const plait::model::parameters& network);

}  // namespace poisson
