// SPDX-License-Identifier: BSD-3-Clause
/// Which algorithm a collective call takes when nobody says.
#pragma once

#include <plait/comm/collective/algorithm.hpp>
#include <plait/comm/collective/shape.hpp>

namespace plait::collective {

/// The same on every rank, for shapes that agree; keeps the order of ranks unless `commutative`.
/// Trees and doubling while messages are small, chains and rings above: LibNBC's limits
/// (libnbc-slides; Open MPI's component libnbc) where it has one, for bcast and allreduce.
[[nodiscard]] algorithm usual_algorithm(const shape& call, bool commutative);

}  // namespace plait::collective
