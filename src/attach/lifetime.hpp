// SPDX-License-Identifier: BSD-3-Clause
/// Wrappers of the calls that start and end MPI: the session begins behind the first and ends
/// before the last.
#pragma once

#include <mpi.h>

namespace plait::attach {

/// Wraps the MPI function of the same name.  `from`: the place of the call in the program.
int init(int* argc, char*** argv, const void* from);
int init_thread(int* argc, char*** argv, int required, int* provided, const void* from);
int query_thread(int* provided, const void* from);
int finalize(const void* from);
int abort_job(MPI_Comm comm, int code, const void* from);

}  // namespace plait::attach
