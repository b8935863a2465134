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

#include "comm/byte_count.hpp"
#include "comm/matching/channel.hpp"
#include "comm/matching/repetition.hpp"
#include "comm/mpi_call.hpp"

namespace plait {

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

  [[nodiscard]] bool empty() const noexcept { return first_ == end_; }
  [[nodiscard]] std::span<operation* const> operations() const noexcept {
    return std::span(operations_).subspan(first_, end_ - first_);
  }

  /// MPI_Isend or MPI_Irecv, or MPI_Start of what `op.again` has ready.  Errors: `error` with what
  /// MPI says; then nothing was started.
  [[nodiscard, gnu::always_inline]] static MPI_Request start(const operation& op, int mpi_tag,
                                                             MPI_Comm comm) {
    if (op.again != nullptr) {
      if (MPI_Request* const kept = op.again->request_for(op, mpi_tag, comm)) {
        mpi_call(MPI_Start(kept), "MPI_Start");
        return *kept;
      }
    }
    return op.what == operation::kind::send ? make_request(MPI_Isend, "MPI_Isend", op.buffer,
                                                           op.size_bytes, op.peer, mpi_tag, comm)
                                            : make_request(MPI_Irecv, "MPI_Irecv", op.buffer,
                                                           op.size_bytes, op.peer, mpi_tag, comm);
  }
  /// MPI_Test, of a message that has just been started.  Errors: `error` with what MPI says.
  [[nodiscard]] static bool is_sent(MPI_Request request) {
    int done = 0;
    mpi_call(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }
  /// `failure` is null when the message was received as it should be.
  [[nodiscard, gnu::always_inline]] static bool is_received(operation& op, MPI_Request request,
                                                            std::exception_ptr& failure) {
    int done = 0;
    MPI_Status status;
    const int code = MPI_Test(&request, &done, &status);
    op.via->tested_at_start(done != 0);
    if (done != 0) {
      conclude(op, request, code, status, failure);
    } else {
      mpi_call(code, "MPI_Test");
    }
    return done != 0;
  }

  /// Adds what is under way on `request`.
  void add(operation& op, MPI_Request request) {
    if (end_ == operations_.size()) make_room();
    requests_[end_] = request;
    operations_[end_++] = &op;
  }

  /// Tests requests and returns the operations that have completed and left the set, valid until
  /// the next call.  A receive of another size than the message's is a failure that says so (and
  /// names the message's size unless MPI truncated it).
  ///
  /// Not `all`, of many: every other time the oldest, else some of the others in turn, so that
  /// while nothing completes all are looked at within eight calls.  Receives are posted long before
  /// their messages come, as soon as their data allows, and to look at one takes some 3 ns; who
  /// looks without pause finds the oldest sooner.
  [[nodiscard]] std::span<const finished> test(bool all);
  [[nodiscard]] bool is_one() const noexcept { return end_ - first_ == 1; }
  /// Tests as `test` does where there is one request.  Returns a null operation while it goes on.
  [[nodiscard]] finished test_one();

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
  /// Notes what has become of an operation that is over: mostly a message of the right length.
  [[gnu::always_inline]] static void conclude(operation& op, MPI_Request request, int code,
                                              const MPI_Status& status,
                                              std::exception_ptr& failure) {
    const bool is_receive = op.what == operation::kind::receive;
    if (code == MPI_SUCCESS &&
        (is_receive ? received_bytes(status) == op.size_bytes : op.what == operation::kind::send))
      return;
    conclude_otherwise(op, request, code, status, failure);
  }
  static void conclude_otherwise(operation& op, MPI_Request request, int code,
                                 const MPI_Status& status, std::exception_ptr& failure);
  [[nodiscard]] static std::size_t received_bytes(const MPI_Status& status) {
    int few = 0;
    MPI_Get_count(&status, MPI_BYTE, &few);
    return few != MPI_UNDEFINED ? static_cast<std::size_t>(few) : many_received_bytes(status);
  }
  [[nodiscard]] static std::size_t many_received_bytes(const MPI_Status& status);
  void make_room();
  [[nodiscard]] range to_look_at(bool all) noexcept;
  void take_out_finished(const range& looked_at) noexcept;

  // In the order of their starts, from `first_` to before `end_`; the rest is room.
  std::vector<MPI_Request> requests_;
  std::vector<operation*> operations_;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  std::size_t others_ = 0;       ///< how many after `first_` the next to have their turn are
  bool oldest_have_had_ = true;  ///< their turn
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<finished> finished_;
  bool any_cancelled_ = false;
};

}  // namespace plait
