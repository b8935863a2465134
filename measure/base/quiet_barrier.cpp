// SPDX-License-Identifier: BSD-3-Clause
#include "quiet_barrier.hpp"

#include <chrono>
#include <thread>

#include <plait/comm/mpi.hpp>

#include "mpi_check.hpp"

namespace plait::measure {

void quiet_barrier(environment& env) {
  constexpr std::chrono::milliseconds period{5};
  MPI_Request all_are_here = MPI_REQUEST_NULL;
  {
    mpi_token_guard guard(env.token());
    check_mpi(MPI_Ibarrier(native(env), &all_are_here), "MPI_Ibarrier");
  }
  for (;; std::this_thread::sleep_for(period)) {
    int done = 0;
    mpi_token_guard guard(env.token());
    check_mpi(MPI_Test(&all_are_here, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
  }
}

}  // namespace plait::measure
