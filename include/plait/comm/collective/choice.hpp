// SPDX-License-Identifier: BSD-3-Clause
/// Which algorithm a collective call takes when nobody says.
#pragma once

#include <plait/comm/collective/algorithm.hpp>
#include <plait/comm/collective/shape.hpp>

namespace plait::collective {

/// The same on every rank, for shapes that agree; keeps the order of ranks unless `commutative`.
/// Trees and doubling while messages are small, chains and rings above, from LibNBC's limit of 64
/// KiB on (libnbc-slides).  Not LibNBC's linear bcast of large messages on 3 and 4 ranks, nor its
/// reduce and bcast, one after the other, for a large allreduce on 2 and 3: with two ranks on a
/// link that carries both ways at once that takes twice the time of a ring.
[[nodiscard]] algorithm usual_algorithm(const shape& call, bool commutative);

}  // namespace plait::collective
