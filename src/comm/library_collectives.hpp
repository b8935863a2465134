// SPDX-License-Identifier: BSD-3-Clause
/// Makes calls of the MPI library's non-blocking collectives: their datatypes, operations and
/// lists.  Not here: the order of the calls (channel.hpp) and their completion (transfer.hpp).
#pragma once

#include <array>
#include <exception>
#include <map>

#include <mpi.h>
#include <plait/comm/collective/library_call.hpp>

namespace plait::collective {

/// Calls of the MPI library's collectives, for one engine.  Holder of the token only.
///
/// An element is so many MPI_BYTEs.  MPI hands a user's operation no pointer of his, but the
/// datatype that the call was made with [MPI-4.0, section 6.9.5]: a reduction has one of its own,
/// whose attribute leads to what is known of the call.
class library_collectives {
 public:
  void close() noexcept;

  /// Errors: `error` with what MPI says; then nothing was started.
  [[nodiscard]] MPI_Request start(library_call& call, MPI_Comm comm);
  /// After its request is complete.  What an operation of the program has thrown, or null.
  [[nodiscard]] static std::exception_ptr finish(library_call& call) noexcept;
  /// Instead of `finish`, when its request can be followed no more: MPI may go on with it, and what
  /// it needs besides the buffers is kept for ever.
  static void abandon(library_call& call);
  /// For MPI, in one of its calls: to = from op to, by what a call has prepared.
  static void combine(void* prepared, const std::byte* from, std::byte* to,
                      std::size_t elements) noexcept;

 private:
  [[nodiscard]] MPI_Datatype element_type(library_call& call);
  [[nodiscard]] int make(library_call& call, MPI_Datatype type, MPI_Comm comm,
                         MPI_Request* request) const;

  std::array<MPI_Op, 2> operations_{MPI_OP_NULL, MPI_OP_NULL};  ///< [commutative]
  std::map<std::size_t, MPI_Datatype> types_;  ///< by size, of calls that combine nothing
};

}  // namespace plait::collective
