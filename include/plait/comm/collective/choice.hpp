// SPDX-License-Identifier: BSD-3-Clause
/// Chooses the algorithm of a collective call that names none, and how its messages are cut.
#pragma once

#include <plait/comm/collective/algorithm.hpp>
#include <plait/comm/collective/shape.hpp>
#include <plait/comm/communicator.hpp>

namespace plait::collective {

/// Chooses an algorithm by rules, the same on every rank for shapes that agree.  Keeps the order of
/// ranks unless `commutative`.  Takes trees and doubling while messages are small, and chains and
/// rings from LibNBC's limit of 64 KiB on (in its source).  Deviates from LibNBC's linear bcast of
/// large messages on 3 and 4 ranks, and from its reduce and bcast, one after the other, for a large
/// allreduce on 2 and 3, which would take twice the time on a link that carries both ways at once.
/// Two ranks exchange whole vectors in one step: a ring sends as much, in two.  [1 MiB on shared
/// memory: 0.15 to 0.18 ms, the ring 0.17 to 0.51]
[[nodiscard]] algorithm usual_algorithm(const shape& call, bool commutative);

/// Chooses how long messages are cut, the same on all ranks of the communicator.  Over TCP in up to
/// 128 pieces, all of them eager up to 4 MiB.  Half of each piece of 128 KiB waits for an answer
/// behind the first halves of all, so a root leaves when half of the message is on the wire.
/// Elsewhere in up to 8, for there a piece takes hardly longer than its task.  [nodes=2,rate=1gbit,
/// Open MPI, bcast of 1 MiB: the root takes 4.7 ms in 8 pieces, 0.5 in 32 and 0.7 by the library;
/// of 4 MiB with send buffers of 8 MiB, mean of both ranks: 26.4 ms in 32 pieces, 18.5 in 128 and
/// 18.2 by the library; shared memory, 1 MiB: 104 us in 8 pieces, 179 in 32]
[[nodiscard]] pieces usual_pieces(const communicator& among);

}  // namespace plait::collective
