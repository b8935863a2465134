// SPDX-License-Identifier: BSD-3-Clause
/// The exchange of a block's ghosts in plain MPI, in the phases that hand-written variants arrange
/// in their own ways.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "face.hpp"
#include "measure/timeline.hpp"

namespace plait::stencil {

/// One exchange at a time, on persistent requests: post_receives, pack, post_sends, then test or
/// wait until done, then unpack.  z faces are sent from and received into the array; x and y faces
/// are packed.  Between posting and the end the edges and ghosts of the array belong to MPI.  A
/// rank that is its own neighbour sends to itself.
class halo_mpi {
 public:
  /// `u` outlives it, in place.  Its messages have `face_tags` tags from `first_tag` on.
  /// Precondition: as `faces_of`.  Errors: usage_error when a face has more values than an MPI
  /// count can say.
  halo_mpi(MPI_Comm communicator, block_array<double, 3>& u, int first_tag = 0);
  ~halo_mpi();
  halo_mpi(const halo_mpi&) = delete;
  halo_mpi& operator=(const halo_mpi&) = delete;

  void post_receives();
  void pack();
  void post_sends();
  /// Lets the library progress; true when all messages are complete.
  [[nodiscard]] bool test();
  /// Blocks until all messages are complete.
  void wait();
  /// As `wait`, and notes when each message was complete.
  void wait_noting();
  void unpack();

  /// All of it, waiting.
  void exchange();
  /// All of it, asleep for `between_looks` whenever there is nothing to do.
  void exchange_sparsely(std::chrono::microseconds between_looks);

  [[nodiscard]] const std::vector<face>& faces() const noexcept { return faces_; }
  [[nodiscard]] bool packs() const noexcept { return packs_; }
  /// The bytes that one exchange sends across a face.
  [[nodiscard]] double bytes_of(const face& f) const;

  /// The messages of the last exchange as events from post to (known) completion.
  void add_messages_to(measure::stopwatch& watch) const;

 private:
  struct message {
    ticks posted = 0;
    ticks completed = 0;
    std::size_t size_bytes = 0;
  };
  void start(std::size_t first_slot);
  void note_completed(int count);

  view<double, 3> cells_;
  int first_tag_;
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

}  // namespace plait::stencil
