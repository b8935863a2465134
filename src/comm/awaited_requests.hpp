// SPDX-License-Identifier: BSD-3-Clause
/// MPI requests of the program's own that a task waits for.
#pragma once

#include <cstddef>
#include <span>

#include <mpi.h>
#include <plait/comm/engine.hpp>

namespace plait {

/// Holds a task's wait for all of some requests, none of which has been tested to the end.  They
/// are tested together with those of other tasks, and what MPI says of each is written as it
/// completes, where MPI_Waitall would write it.
struct awaited_requests {
  std::span<MPI_Request> requests;
  MPI_Status* statuses = nullptr;  ///< side by side with `requests`; null: ignored
  int code = MPI_SUCCESS;          ///< what MPI_Wait or MPI_Waitall returns
  std::size_t left = 0;            ///< those that have not completed
};

}  // namespace plait
