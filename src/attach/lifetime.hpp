// SPDX-License-Identifier: BSD-3-Clause
/// Wrappers of the calls that start and end MPI: the session begins behind the first and ends
/// before the last.
#pragma once

#include <mpi.h>

#include "attach/call_place.hpp"

namespace plait::attach {

/// Wraps the MPI function of the same name.  `from`: the place of the call in the program.
int init(int* argc, char*** argv, const call_place& from);
int init_thread(int* argc, char*** argv, int required, int* provided, const call_place& from);
int query_thread(int* provided, call_place from);
int finalize(call_place from);
int abort_job(MPI_Comm comm, int code, call_place from);

}  // namespace plait::attach
