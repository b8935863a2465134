// SPDX-License-Identifier: BSD-3-Clause
/// Chooses the algorithm of a collective call that names none.
#pragma once

#include <plait/comm/collective/algorithm.hpp>
#include <plait/comm/collective/shape.hpp>

namespace plait::collective {

/// Chooses an algorithm by rules, the same on every rank for shapes that agree.  Keeps the order of
/// ranks unless `commutative`.  Takes trees and doubling while messages are small, and chains and
/// rings from LibNBC's limit of 64 KiB on (libnbc-slides).  Deviates from LibNBC's linear bcast of
/// large messages on 3 and 4 ranks, and from its reduce and bcast, one after the other, for a large
/// allreduce on 2 and 3.  With two ranks on a link that carries both ways at once LibNBC's choice
/// takes twice the time of a ring.
[[nodiscard]] algorithm usual_algorithm(const shape& call, bool commutative);

}  // namespace plait::collective
