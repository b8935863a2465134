// SPDX-License-Identifier: BSD-3-Clause
/// Durations of recordings whose ranks had too few cores, from one whose ranks had enough.
#pragma once

#include <span>

#include <plait/simulate/call_program.hpp>

#include "simulate/ranks/structure.hpp"

namespace plait::simulate {

/// Gives each rank the durations of the first recording: those of a rank of its class, operation by
/// operation.  A rank of a class that is not there gets those of the same names in turn, all times
/// one factor, so that it computes as long as a rank of the first recording does on average.
/// Precondition: `structure` is that of `recorded`.
void take_durations_of_first(std::span<recorded_calls> recorded, const common_structure& structure);

}  // namespace plait::simulate
