// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking calls from tasks: they need no suspension, only their turn to call MPI.
#include "comm/blocking/await.hpp"

using plait::under_token;

extern "C" {

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
              MPI_Request* request) {
  plait::do_not_tell("non-blocking messages");
  return under_token([&] { return PMPI_Isend(buffer, count, type, target, tag, comm, request); });
}

int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
               MPI_Request* request) {
  plait::do_not_tell("non-blocking messages");
  return under_token([&] { return PMPI_Issend(buffer, count, type, target, tag, comm, request); });
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  plait::do_not_tell("non-blocking messages");
  return under_token([&] { return PMPI_Irecv(buffer, count, type, source, tag, comm, request); });
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return under_token([&] { return PMPI_Iprobe(source, tag, comm, flag, status); });
}

int MPI_Start(MPI_Request* request) {
  plait::do_not_tell("non-blocking messages");
  return under_token([&] { return PMPI_Start(request); });
}

int MPI_Startall(int count, MPI_Request* requests) {
  plait::do_not_tell("non-blocking messages");
  return under_token([&] { return PMPI_Startall(count, requests); });
}

int MPI_Cancel(MPI_Request* request) {
  return under_token([&] { return PMPI_Cancel(request); });
}

int MPI_Request_free(MPI_Request* request) {
  return under_token([&] { return PMPI_Request_free(request); });
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return under_token([&] { return PMPI_Test(request, flag, status); });
}

int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  return under_token([&] { return PMPI_Testall(count, requests, flag, statuses); });
}

int MPI_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  return under_token([&] { return PMPI_Testany(count, requests, index, flag, status); });
}

int MPI_Testsome(int count, MPI_Request* requests, int* completed, int* indices,
                 MPI_Status* statuses) {
  return under_token([&] { return PMPI_Testsome(count, requests, completed, indices, statuses); });
}

}  // extern "C"
