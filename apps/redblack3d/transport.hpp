// SPDX-License-Identifier: BSD-3-Clause
/// What the transport costs a processor that computes.
#pragma once

#include <plait/plait.hpp>

#include "problem.hpp"

namespace redblack3d {

/// Seconds of this rank's processor that the two ghost exchanges of a step take from computing,
/// whoever spends them: as plait::app::transport_cpu_s, which counts pieces of a sweep over the
/// interior of this very block.  NaN where it cannot be measured.  Collective; overwrites p.u.
/// `exchange_s`: how long one exchange takes alone; like `window_s` the same on every rank.
[[nodiscard]] double transport_cpu_s(plait::environment& env, problem& p, double exchange_s,
                                     double window_s);

}  // namespace redblack3d
