// SPDX-License-Identifier: BSD-3-Clause
/// The MPI requests in flight.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>
#include <plait/comm/engine.hpp>

#include "comm/mpi_call.hpp"

namespace plait {

struct matching_space;

/// Returns "receive 'ghost' of 48 bytes from rank 1 of 'row', tag 3", and of a part of a collective
/// "allreduce 'total': receive of 48 bytes from rank 1 of 'row'".  Not of operations on windows.
[[nodiscard]] std::string describe(const operation& op);

/// Requests and their operations, side by side as MPI_Testsome wants them.  Holder of the token
/// only.
class transfer_set {
 public:
  struct finished {
    operation* op;
    std::exception_ptr failure;  ///< null when it succeeded or was cancelled
  };

  [[nodiscard]] bool empty() const noexcept { return first_ == operations_.size(); }
  [[nodiscard]] std::span<operation* const> operations() const noexcept {
    return std::span(operations_).subspan(first_);
  }

  /// MPI_Isend or MPI_Irecv, or MPI_Start of what `op.again` has ready.  Returns whether the
  /// operation has completed already, as small sends do: then it is not in the set.  Errors:
  /// `error` with what MPI says; then nothing was started.
  [[nodiscard]] bool start(operation& op, int mpi_tag, MPI_Comm comm);

  /// MPI_Isend of a small message, which is not added.
  [[nodiscard]] static MPI_Request send(const operation& op, int mpi_tag, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int count = static_cast<int>(op.size_bytes);
    mpi_call(MPI_Isend(op.buffer, count, MPI_BYTE, op.peer, mpi_tag, comm, &request), "MPI_Isend");
    return request;
  }
  /// MPI_Test.
  [[nodiscard]] static bool is_over(MPI_Request& request) {
    int done = 0;
    mpi_call(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }
  /// Puts `to`, which stands for the same message, in the place of `from`.
  void replace(const operation& from, operation& to) noexcept {
    // Before `first_` are copies of what has moved up.
    *std::find(operations_.begin() + static_cast<std::ptrdiff_t>(first_), operations_.end(),
               &from) = &to;
  }

  /// Adds what is under way on `request`.
  void add(operation& op, MPI_Request request);

  /// Tests requests and returns the operations that have completed and left the set, valid until
  /// the next call.  A receive of another size than the message's is a failure that says so (and
  /// names the message's size unless MPI truncated it).
  ///
  /// Not `all`, of many: every other time the oldest, else some of the others in turn, so that
  /// while nothing completes all are looked at within eight calls.  Receives are posted long before
  /// their messages come, as soon as their data allows, and to look at one takes some 3 ns; who
  /// looks without pause finds the oldest sooner.
  [[nodiscard]] std::span<const finished> test(bool all);

  void cancel_receives() noexcept;
  /// Receives and drops what this rank sent itself there: nobody else can let such sends end.
  void drop_messages_to_self(const matching_space& among) noexcept;
  /// Lets go of the requests of all operations, and returns these.
  [[nodiscard]] std::vector<operation*> abandon();

 private:
  /// Places of `requests_` and `operations_`.
  struct range {
    std::size_t begin;
    std::size_t end;
  };
  [[nodiscard]] range to_look_at(bool all) noexcept;
  [[nodiscard]] int test_some(const range& looked_at);
  void take_out_finished(const range& looked_at) noexcept;

  // In the order of their starts, from `first_` on; before it is room.
  std::vector<MPI_Request> requests_;
  std::vector<operation*> operations_;
  std::size_t first_ = 0;
  std::size_t others_ = 0;       ///< how many after `first_` the next to have their turn are
  bool oldest_have_had_ = true;  ///< their turn
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<finished> finished_;
  bool have_errors_ = false;  ///< of those of `statuses_`
  bool any_cancelled_ = false;
};

}  // namespace plait
