// SPDX-License-Identifier: BSD-3-Clause
// Waiting for the program's own requests.
#include <cstddef>
#include <span>

#include "comm/blocking/await.hpp"

using plait::blocking_calls;
using plait::give_up_messages;
using plait::interceptor;
using plait::wait_for;

namespace {

std::span<MPI_Request> all(MPI_Request* requests, int count) {
  return {requests, static_cast<std::size_t>(count)};
}

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  blocking_calls* here = interceptor();
  if (here == nullptr) return PMPI_Wait(request, status);
  return plait::wait_for_request(*here, *request, status,
                                 [&] { return plait::give_up_message(*here, *request); });
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  blocking_calls* here = interceptor();
  if (here == nullptr) return PMPI_Waitall(count, requests, statuses);
  return plait::wait_for_all(*here, all(requests, count), statuses);
}

int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  blocking_calls* here = interceptor();
  if (here == nullptr) return PMPI_Waitany(count, requests, index, status);
  return wait_for(
      *here, [&](int* flag) { return PMPI_Testany(count, requests, index, flag, status); },
      [&] { return give_up_messages(*here, all(requests, count)); });
}

int MPI_Waitsome(int count, MPI_Request* requests, int* completed, int* indices,
                 MPI_Status* statuses) {
  blocking_calls* here = interceptor();
  if (here == nullptr) return PMPI_Waitsome(count, requests, completed, indices, statuses);
  return wait_for(
      *here,
      [&](int* flag) {
        const int code = PMPI_Testsome(count, requests, completed, indices, statuses);
        *flag = *completed != 0 ? 1 : 0;  // MPI_UNDEFINED: nothing to wait for
        return code;
      },
      [&] { return give_up_messages(*here, all(requests, count)); });
}

}  // extern "C"
