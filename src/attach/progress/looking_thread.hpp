// SPDX-License-Identifier: BSD-3-Clause
/// The progress thread: calls MPI while the program computes, so that what the program has started
/// goes on.
#pragma once

namespace plait::attach {

/// Starts it, if it is asked for and MPI allows; `level` is that of MPI.  Once.
void start_looking(int level);
/// Ends it, before MPI ends.
void stop_looking();

}  // namespace plait::attach
