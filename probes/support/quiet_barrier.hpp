// SPDX-License-Identifier: BSD-3-Clause
/// Waiting for other ranks that need the processors meanwhile.
#pragma once

#include <plait/plait.hpp>

namespace plait::probes {

/// A barrier that leaves the processor to those who are still busy: it looks once a millisecond.
/// Collective; no task may be in flight.
void quiet_barrier(environment& env);

}  // namespace plait::probes
