// SPDX-License-Identifier: BSD-3-Clause
/// Broadcasts of a panel along a process row, as a list of messages that each process sends and
/// receives, in order.  Plain MPI and tasks carry out the same lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "settings.hpp"

namespace hpl {

/// A message of a part of the panel.
struct transfer {
  bool sends = false;
  int peer = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Returns what process `rank` of `ranks` does when `root` has a panel of `count` numbers.
[[nodiscard]] std::vector<transfer> transfers_of(broadcast how, int ranks, int rank, int root,
                                                 std::int64_t count);

/// Transfers under way, in plain MPI: receives are posted at once, and each send when the receives
/// before it are complete.
class panel_on_its_way {
 public:
  void start(std::vector<transfer> what, std::span<double> memory, MPI_Comm row);
  /// Returns whether all is done.
  [[nodiscard]] bool test();
  void wait();

 private:
  /// Starts the sends that may start.
  void advance();

  std::vector<transfer> what_;
  std::span<double> memory_;
  MPI_Comm row_ = MPI_COMM_NULL;
  std::size_t next_ = 0;               ///< transfer that waits for its turn
  std::vector<MPI_Request> receives_;  ///< by transfer; null for sends and when complete
  std::vector<MPI_Request> sends_;
};

}  // namespace hpl
