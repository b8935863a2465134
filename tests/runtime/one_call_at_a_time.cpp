// SPDX-License-Identifier: BSD-3-Clause
#include "one_call_at_a_time.hpp"

#include <atomic>
#include <chrono>

#include <mpi.h>
#include <plait/comm/mpi.hpp>

namespace plait::test {
namespace {

std::atomic<int> threads_inside{0};
std::atomic<int> beside_others{0};
std::atomic<long long> calls{0};
thread_local int depth = 0;  // a function of MPI may call others by these names

class stay {
 public:
  stay() noexcept {
    if (depth++ > 0) return;
    calls.fetch_add(1);
    if (threads_inside.fetch_add(1) > 0) beside_others.fetch_add(1);
  }
  ~stay() {
    if (--depth == 0) threads_inside.fetch_sub(1);
  }
  stay(const stay&) = delete;
  stay& operator=(const stay&) = delete;
};

}  // namespace

void call_mpi(environment& env) {
  constexpr int tag = 5;
  char sent = 1;
  char received = 0;
  const stay inside;  // longer than the call alone, so that whoever comes is met
  MPI_Sendrecv(&sent, 1, MPI_CHAR, env.rank(), tag, &received, 1, MPI_CHAR, env.rank(), tag,
               native(env), MPI_STATUS_IGNORE);
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (std::chrono::steady_clock::now() < until) {
  }
}

long long calls_of_mpi() noexcept {
  return calls.load();
}

int calls_beside_others() noexcept {
  return beside_others.exchange(0);
}

}  // namespace plait::test

using plait::test::stay;

// What the engine calls while a program runs.
extern "C" {
int MPI_Isend(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r) {
  const stay inside;
  return PMPI_Isend(b, n, t, to, tag, c, r);
}
int MPI_Irecv(void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* r) {
  const stay inside;
  return PMPI_Irecv(b, n, t, from, tag, c, r);
}
int MPI_Send_init(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c,
                  MPI_Request* r) {
  const stay inside;
  return PMPI_Send_init(b, n, t, to, tag, c, r);
}
int MPI_Recv_init(void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* r) {
  const stay inside;
  return PMPI_Recv_init(b, n, t, from, tag, c, r);
}
int MPI_Start(MPI_Request* r) {
  const stay inside;
  return PMPI_Start(r);
}
int MPI_Test(MPI_Request* r, int* done, MPI_Status* s) {
  const stay inside;
  return PMPI_Test(r, done, s);
}
int MPI_Testsome(int n, MPI_Request r[], int* done, int at[], MPI_Status s[]) {
  const stay inside;
  return PMPI_Testsome(n, r, done, at, s);
}
int MPI_Iprobe(int from, int tag, MPI_Comm c, int* found, MPI_Status* s) {
  const stay inside;
  return PMPI_Iprobe(from, tag, c, found, s);
}
int MPI_Request_free(MPI_Request* r) {
  const stay inside;
  return PMPI_Request_free(r);
}
int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  const stay inside;
  return PMPI_Allreduce(from, to, n, t, op, c);
}
}
