// SPDX-License-Identifier: BSD-3-Clause
#include "quiet_barrier.hpp"

#include <chrono>
#include <thread>

#include <plait/comm/mpi.hpp>

#include "support/mpi_check.hpp"

namespace plait::probes {

void quiet_barrier(environment& env) {
  MPI_Request request = MPI_REQUEST_NULL;
  app::check_mpi(MPI_Ibarrier(native(env), &request), "MPI_Ibarrier");
  for (int done = 0; done == 0;) {
    app::check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace plait::probes
