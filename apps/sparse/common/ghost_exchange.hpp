// SPDX-License-Identifier: BSD-3-Clause
/// The exchange of the elements of x that other ranks need, in plain MPI, in the phases that
/// hand-written variants arrange in their own ways.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "dealt_matrix.hpp"
#include "measure/comparison.hpp"
#include "measure/timeline.hpp"

namespace plait::sparse {

/// One exchange at a time, on persistent requests: post_receives, pack, post_sends, then test or
/// wait until done.  One message to each rank that needs something, one from each that has
/// something; ghosts are received in place.
class ghost_exchange {
 public:
  /// `x` and `ghosts` outlive it, in place.  `lists`: of a.ghosts, by a.owners().
  ghost_exchange(MPI_Comm communicator, const dealt_matrix& a, const index_lists& lists,
                 std::span<const double> x, std::span<double> ghosts);
  ~ghost_exchange();
  ghost_exchange(const ghost_exchange&) = delete;
  ghost_exchange& operator=(const ghost_exchange&) = delete;

  void post_receives();
  void pack();
  void post_sends();
  /// Lets the library progress; true when all messages are complete.
  [[nodiscard]] bool test();
  /// Blocks until all messages are complete.
  void wait();
  /// As `wait`, and notes when each message was complete.
  void wait_noting();

  /// All of it, waiting.
  void exchange();
  /// All of it, asleep for `between_looks` whenever there is nothing to do.
  void exchange_sparsely(std::chrono::microseconds between_looks);

  /// What an exchange sends to whom.
  [[nodiscard]] std::vector<measure::sent_bytes> sent() const;
  /// The messages of the last exchange as events from post to (known) completion.
  void add_messages_to(measure::stopwatch& watch) const;

 private:
  struct message {
    int peer = 0;
    std::size_t size_bytes = 0;
    ticks posted = 0;
    ticks completed = 0;
  };
  void start(std::size_t first, std::size_t count);
  void note_completed(int count);

  std::span<const double> x_;
  std::vector<std::int32_t> sent_elements_;  ///< of x, one message after another
  std::vector<double> outgoing_;             ///< what they are
  std::size_t receives_ = 0;
  // Receives first, then sends.
  std::vector<MPI_Request> requests_;
  std::vector<message> messages_;
  std::vector<int> completed_;  ///< scratch of Testsome and Waitsome
  int pending_ = 0;
  std::uint64_t exchanges_ = 0;  ///< begun, the same on all ranks
};

/// Adds one number of each rank, in the order of ranks: every rank has the same bits.  Blocks.
[[nodiscard]] double sum_over_ranks(MPI_Comm communicator, double own);

}  // namespace plait::sparse
