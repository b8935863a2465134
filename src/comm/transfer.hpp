// SPDX-License-Identifier: BSD-3-Clause
/// The MPI requests in flight.
#pragma once

#include <exception>
#include <functional>
#include <vector>

#include <mpi.h>
#include <plait/comm/engine.hpp>

namespace plait {

/// Requests and their operations, side by side as MPI_Testsome wants them.  Holder of the token
/// only.
class transfer_set {
 public:
  using completion = std::function<void(operation&, const std::exception_ptr&)>;

  [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }
  [[nodiscard]] const std::vector<operation*>& operations() const noexcept { return operations_; }

  /// MPI_Isend or MPI_Irecv, or MPI_Start of what `op.again` has ready.  Errors: `error` with what
  /// MPI says; then nothing was started.
  void start(operation& op, int mpi_tag, MPI_Comm comm);

  /// Calls `done` for each operation that has completed.  Returns whether there was one.
  /// A receive of another size than the message's is a failure that says so (and names the
  /// message's size unless MPI truncated it).
  bool test(const completion& done);

  void cancel_receives() noexcept;
  /// Receives and drops what this rank, `self`, sent itself: nobody else can let such sends end.
  void drop_messages_to_self(int self, MPI_Comm comm) noexcept;
  /// Lets go of the requests of all operations and calls `done` for each.
  void abandon(const std::function<void(operation&)>& done);

 private:
  std::vector<MPI_Request> requests_;
  std::vector<operation*> operations_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace plait
