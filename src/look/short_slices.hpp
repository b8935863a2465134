// SPDX-License-Identifier: BSD-3-Clause
/// Asks the kernel to let a thread that runs for microseconds take its turn at once.
#pragma once

namespace plait {

/// Asks for the shortest time slice there is (0.1 ms; Linux 6.12 and later, ignored before): a
/// thread that runs for microseconds then takes its turn at once when it wakes on a core that a
/// worker keeps busy, instead of after the worker's slice of some milliseconds.  Needs no
/// privileges, and takes no more than the thread's fair share.  For the calling thread.
void ask_for_short_slices() noexcept;

}  // namespace plait
