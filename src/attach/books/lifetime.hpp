// SPDX-License-Identifier: BSD-3-Clause
/// Wrappers of the calls that start and end MPI: the session begins behind the first and ends
/// before the last.
#pragma once

#include <mpi.h>

#include "attach/calls/call_place.hpp"

namespace plait::attach {

/// Wraps the MPI function of the same name.  `next`: what stands behind the wrapper; `from`: the
/// place of the call in the program.
int init(int* argc, char*** argv, decltype(&MPI_Init) next, const call_place& from);
int init_thread(int* argc, char*** argv, int required, int* provided,
                decltype(&MPI_Init_thread) next, const call_place& from);
int query_thread(int* provided, decltype(&MPI_Query_thread) next, call_place from);
int finalize(decltype(&MPI_Finalize) next, call_place from);
int abort_job(MPI_Comm comm, int code, decltype(&MPI_Abort) next, call_place from);

}  // namespace plait::attach
