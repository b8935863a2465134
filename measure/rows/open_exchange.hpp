// SPDX-License-Identifier: BSD-3-Clause
/// An exchange of two ranks in MPI's own calls.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

namespace plait::measure {

/// Messages in flight both ways between ranks 0 and 1; only one such object at a time may be.
class open_exchange {
 public:
  /// Posts `messages` receives, then as many sends: equal parts of both buffers, which must be of
  /// one size that this number divides.  The buffers must live until all is done.
  open_exchange(environment& env, std::span<const std::byte> outgoing,
                std::span<std::byte> incoming, int messages = 1);
  /// Returns whether all are done.
  [[nodiscard]] bool test();
  void wait();
  /// Waits, asleep for `between_looks` after each look that has found something in flight.
  void wait_asleep();

 private:
  std::vector<MPI_Request> requests_;
};

}  // namespace plait::measure
