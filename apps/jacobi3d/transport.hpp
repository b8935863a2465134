// SPDX-License-Identifier: BSD-3-Clause
/// What the transport costs a processor that computes.
#pragma once

#include <plait/plait.hpp>

#include "problem.hpp"

namespace jacobi3d {

/// Seconds of this rank's processor that one ghost exchange takes from computing, whoever spends
/// them: the MPI library's copies and system calls, packing, and the kernel's receive path, which
/// no account of this process shows.  NaN where it cannot be measured.
///
/// Method: as plait::app::transport_cpu_s, which counts pieces of the sweep over the interior of
/// this very block.  The exchanging thread sleeps 1 ms between two looks at its messages, so what
/// the counting thread loses is what the transport cannot do without, not the waiting of a busy
/// loop.
///
/// Since the counted work is the kernel itself, on its own data, caches and memory bandwidth lost
/// to the copies are counted too.  The median of `rounds` such measurements, each with its own
/// calibration, so that a machine that changes its speed is not taken for a transport.
///
/// Collective; blocks for about rounds x 1.5 x `window_s`.  Overwrites p.u and p.v.  `exchange_s`:
/// how long an exchange takes alone; like `window_s` it is the same on every rank.
[[nodiscard]] double transport_cpu_s(plait::environment& env, problem& p, double exchange_s,
                                     double window_s, int rounds = 3);

}  // namespace jacobi3d
