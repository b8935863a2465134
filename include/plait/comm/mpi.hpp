// SPDX-License-Identifier: BSD-3-Clause
/// Opt-in: the MPI objects beneath plait, for code that calls MPI itself.  The only public header
/// that shows <mpi.h>.
#pragma once

#include <plait/core/cxx20.hpp>

#include <string>

#include <mpi.h>
#include <plait/comm/communicator.hpp>
#include <plait/comm/environment.hpp>

namespace plait {

/// Returns a duplicate of MPI_COMM_WORLD for the program's own messages; plait sends none on it,
/// and owns it.  Errors on it are return codes (MPI_ERRORS_RETURN).  While tasks are in flight,
/// call MPI only while holding `environment::token()`.
[[nodiscard]] MPI_Comm native(environment& env) noexcept;

/// The ranks of `comm` in its order, to be named in calls of plait.  `comm` stays the program's:
/// plait communicates on duplicates.  Collective over `comm`; blocks as `communicator::split` does.
/// Errors: usage_error for an intercommunicator, and for processes outside MPI_COMM_WORLD.
[[nodiscard]] communicator adopt(environment& env, MPI_Comm comm, std::string name);

}  // namespace plait
