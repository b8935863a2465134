// SPDX-License-Identifier: BSD-3-Clause
/// Opt-in: the MPI objects beneath plait, for code that calls MPI itself.  The only public header
/// that shows <mpi.h>.
#pragma once

#include <plait/core/cxx20.hpp>

#include <string>

#include <mpi.h>
#include <plait/comm/communicator.hpp>
#include <plait/comm/environment.hpp>
#include <plait/core/strided_bytes.hpp>

namespace plait {

/// Names the ranks of a program that owns MPI, for an environment that joins it.  The communicator
/// stays the program's.
///
///     MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
///     plait::environment env{plait::guest_of{half_of_the_ranks}};
struct guest_of {
  MPI_Comm ranks = MPI_COMM_NULL;
};

/// Returns a duplicate of MPI_COMM_WORLD for the program's own messages; plait sends none on it,
/// and owns it.  Errors on it are return codes (MPI_ERRORS_RETURN).  While tasks are in flight,
/// call MPI only while holding `environment::token()`.
[[nodiscard]] MPI_Comm native(environment& env) noexcept;

/// The ranks of `comm` in its order, to be named in calls of plait.  `comm` stays the program's:
/// plait communicates on duplicates.  Collective over `comm`; blocks as `communicator::split` does.
/// Errors: usage_error for an intercommunicator, and for processes outside MPI_COMM_WORLD.
[[nodiscard]] communicator adopt(environment& env, MPI_Comm comm, std::string name);

/// Returns the communicator behind a handle of Fortran's `use mpi`; of MPI's standard ABI, whose
/// handles in Fortran are the numbers of those in C.
[[nodiscard]] MPI_Comm from_fortran(int handle) noexcept;

/// Returns the memory of `count` elements of a type that is a box: contiguous, vector, hvector,
/// subarray, duplicates and resized ones, of each other and of types without holes.  The first axis
/// is the fastest.  Errors: usage_error, which names the type, for others, and beyond four axes.
[[nodiscard]] strided_bytes memory_of(const void* buffer, int count, MPI_Datatype type);

}  // namespace plait
