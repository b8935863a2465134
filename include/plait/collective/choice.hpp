// SPDX-License-Identifier: BSD-3-Clause
/// Chooses the algorithm of a collective call that names none.
#pragma once

#include <plait/collective/algorithm.hpp>
#include <plait/collective/shape.hpp>

namespace plait::collective {

/// Chooses an algorithm by rules, the same on every rank for shapes that agree.  Keeps the order of
/// ranks unless `commutative`.  Takes trees and doubling while messages are small, and chains and
/// rings from LibNBC's limit of 64 KiB on (in its source).  Deviates from LibNBC's linear bcast of
/// large messages on 3 and 4 ranks, and from its reduce and bcast, one after the other, for a large
/// allreduce on 2 and 3, which would take twice the time on a link that carries both ways at once.
/// Two ranks exchange whole vectors in one step: a ring sends as much, in two.  [1 MiB on shared
/// memory: 0.15 to 0.18 ms, the ring 0.17 to 0.51]
[[nodiscard]] algorithm usual_algorithm(const shape& call, bool commutative);

}  // namespace plait::collective
