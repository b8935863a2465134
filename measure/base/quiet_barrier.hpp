// SPDX-License-Identifier: BSD-3-Clause
/// Waiting for other ranks that need the processors meanwhile.
#pragma once

#include <plait/plait.hpp>

namespace plait::measure {

/// Returns when all ranks are here, at most 5 ms after the last.  A barrier of the MPI library's,
/// or `environment::barrier`, takes all of a core while it waits; this one a few microseconds of
/// each 5 ms, for a look.  Collective; no task may be in flight.
void quiet_barrier(environment& env);

}  // namespace plait::measure
