// SPDX-License-Identifier: BSD-3-Clause
/// One clock for all ranks, and what the network can do: both by round trips between rank 0 and the
/// others, when the program starts and when it ends.
#pragma once

#include "attach/books/session.hpp"

namespace plait::attach {

/// A number that is the same for all processes of one kernel: they read the same clock.
[[nodiscard]] std::uint64_t boot_number();
/// Collective: notes this rank's clock beside that of rank 0, as moment 0 or 1.
void align_clocks(session& of, int moment);
/// Collective: what a message takes between two hosts, and within one.
void measure_network(session& of);

}  // namespace plait::attach
