// SPDX-License-Identifier: BSD-3-Clause
/// An exchange in MPI's own calls.
#pragma once

#include <array>

#include <plait/comm/mpi.hpp>

#include "load.hpp"

namespace plait::bench {

/// Blocks until both messages are through.
void exchange_blocking(environment& env, buffers& data);

/// Both messages in flight; only one at a time may be.
class open_exchange {
 public:
  open_exchange(environment& env, buffers& data);
  [[nodiscard]] bool test();
  void wait();

 private:
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace plait::bench
