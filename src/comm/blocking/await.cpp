// SPDX-License-Identifier: BSD-3-Clause
#include "comm/blocking/await.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>

#include <plait/core/clock.hpp>

namespace plait {
namespace {

/// Returns true if the request can be cancelled.  A persistent request that is not started, or has
/// completed, leaves nothing to cancel, and MPI forbids to try.
bool pending(MPI_Request request) {
  int flag = 1;
  if (request == MPI_REQUEST_NULL) return false;
  PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  return flag == 0;
}

/// One that completes with an error is complete too.
bool completed(MPI_Request& request) {
  int flag = 0;
  const int code = PMPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return flag != 0 || code != MPI_SUCCESS;
}

}  // namespace

bool give_up_messages(blocking_calls& here, std::span<MPI_Request> requests) {
  {
    std::lock_guard guard(here);
    for (MPI_Request& each : requests) {
      if (pending(each)) PMPI_Cancel(&each);
    }
  }
  const auto all_completed = [&] {
    std::lock_guard guard(here);
    return std::ranges::all_of(requests, completed);
  };
  constexpr double patience_s = 10;  // a large message to a peer that takes it may need seconds
  const ticks deadline = now_ticks() + seconds_to_ticks(patience_s);
  while (!all_completed()) {
    if (now_ticks() > deadline) {
      std::fprintf(stderr,
                   "plait: %s: a task that waits in MPI was given up since another has failed, and "
                   "its message cannot be\n",
                   process_label().c_str());
      detail::abort_job();
    }
    std::this_thread::yield();
  }
  return true;
}

}  // namespace plait
