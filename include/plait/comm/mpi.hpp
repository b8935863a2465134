// SPDX-License-Identifier: BSD-3-Clause
/// Opt-in: the MPI objects beneath plait, for code that calls MPI itself.  The only public header
/// that shows <mpi.h>.
#pragma once

#include <plait/core/cxx20.hpp>

#include <exception>
#include <memory>
#include <string>
#include <utility>

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
/// and owns it.  Errors on it are return codes (MPI_ERRORS_RETURN).  While tasks are in flight, a
/// window is open or a mover is under way, call MPI only while holding `environment::token()`.  At
/// other times, such as after `wait()`, plait's threads call no MPI.
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

namespace detail {

/// Is told when a request has completed, or why it has not; by a thread that holds the token.
struct request_watch {
  virtual ~request_watch() = default;
  virtual void ended(const std::exception_ptr& why_not) noexcept = 0;
};
void watch_request(const void* owner, MPI_Request request, std::unique_ptr<request_watch> told);

}  // namespace detail

/// Finishes a task with a request: releases `until`, a `plait::hold`, when `request` has completed.
/// Returns at once.  The request is the program's own or another library's: of a message, a
/// collective, a file, a generalised one, or a persistent one that was started.  plait polls for it
/// as for its own messages, and a worker with nothing to run is exposed meanwhile.  The request is
/// plait's from now on.  If MPI reports an error, the task fails with it.  When another task has
/// failed the request is cancelled.  Any thread, which does not hold the token.  [Sala et al. 2019,
/// TAMPI_Iwait]  Errors: usage_error for a hold of a scheduler without a runtime.
///
///     void halve(std::span<double> x, plait::environment* env, plait::hold until) {
///       MPI_Request request;
///       {
///         plait::mpi_token_guard guard(env->token());
///         MPI_Iallreduce(MPI_IN_PLACE, x.data(), 1, MPI_DOUBLE, MPI_SUM, comm, &request);
///       }
///       plait::finish_with(std::move(until), request);
///     }
template <class Hold>
void finish_with(Hold until, MPI_Request request) {
  struct ends_hold final : detail::request_watch {
    explicit ends_hold(Hold&& until_) noexcept : until(std::move(until_)) {}
    void ended(const std::exception_ptr& why_not) noexcept override {
      why_not == nullptr ? until.release() : until.fail(why_not);
    }
    Hold until;
  };
  const void* const owner = until.owner();
  detail::watch_request(owner, request, std::make_unique<ends_hold>(std::move(until)));
}

}  // namespace plait
