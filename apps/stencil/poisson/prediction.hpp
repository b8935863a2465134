// SPDX-License-Identifier: BSD-3-Clause
/// Predicts what an iteration takes by the model: what blocks, what overlaps, and what is left of
/// the network then.  Arithmetic alone.
#pragma once

#include <plait/plait.hpp>

#include "domain.hpp"
#include "measure/base/gather.hpp"

namespace poisson {

/// Returns the member "prediction" of a result: an iteration of the largest block's rank, in
/// seconds, and `over_ranks` the same on other numbers of ranks, of those the grid can be divided
/// among: 1, 2, 4 and the multiples of 8 to 96  [libnbc-slides, slide 30].
///
/// Memory traffic says how the time of a cell is divided, in bytes: turn 40 (x and p read and
/// written, r read), product 24 (p read, w written, and fetched before), shorten 24 (r read and
/// written, w read); of pipelined CG's iteration the product is 24 and the rest 104.
///
///   exchange   = its messages, back to back; of that no overlap hides its processor time
///   reduction  = one sum over all ranks
///   base       = computation + exchange + 2 reduction
///   overlapped = max(beside, exchange - its processor time) + what is left of the computation
///                + the exchange's processor time + 2 reduction;
///                beside: turn and product of the cells that need no ghosts
///   pipelined  = the same with one reduction, which the product hides, and 128 / 88 of the
///                computation
[[nodiscard]] plait::measure::json predict(const domain& whole, double seconds_per_cell,
                                           const plait::model::parameters& network);

}  // namespace poisson
