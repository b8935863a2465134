// SPDX-License-Identifier: BSD-3-Clause
/// The ghost exchange in plain MPI, in the phases that `base` and `olap` arrange differently.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "faces.hpp"
#include "problem.hpp"
#include "support/timeline.hpp"

namespace jacobi3d {

/// One exchange of ghosts at a time: post_receives, pack, post_sends, then test or wait until
/// done, then unpack.  z faces are sent from and received into the field; x and y faces are packed.
/// Between post_receives and the end the edges and ghosts of the field belong to MPI.
class halo_mpi {
 public:
  /// Errors: usage_error when a face has more values than an MPI count can say.
  halo_mpi(MPI_Comm communicator, const problem& p);
  ~halo_mpi() = default;
  halo_mpi(const halo_mpi&) = delete;
  halo_mpi& operator=(const halo_mpi&) = delete;

  void post_receives(field& u);
  void pack(const field& u);
  void post_sends(const field& u);
  /// Lets the library progress; true when all messages are complete.
  [[nodiscard]] bool test();
  /// Blocks until all messages are complete.
  void wait();
  /// As `wait`, and notes when each message was complete.
  void wait_noting();
  void unpack(field& u);

  [[nodiscard]] const std::vector<face>& faces() const noexcept { return faces_; }
  [[nodiscard]] bool packs() const noexcept { return packs_; }

  /// The messages of the last exchange as events from post to (known) completion.
  void add_messages_to(plait::app::stopwatch& watch) const;

 private:
  struct message {
    plait::ticks posted = 0;
    plait::ticks completed = 0;
    std::size_t size_bytes = 0;
  };
  void note_completed(int count);

  MPI_Comm communicator_;
  std::vector<face> faces_;
  bool packs_ = false;
  std::vector<std::vector<double>> outgoing_;  ///< by face; empty where no packing is needed
  std::vector<std::vector<double>> incoming_;
  // Receives first, then sends, in the order of faces_.
  std::vector<MPI_Request> requests_;
  std::vector<message> messages_;
  std::vector<int> completed_;  ///< scratch of Testsome and Waitsome
  int pending_ = 0;
  std::uint64_t exchanges_ = 0;  ///< begun, the same on all ranks
};

}  // namespace jacobi3d
