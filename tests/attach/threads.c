// SPDX-License-Identifier: BSD-3-Clause
// Two threads of each rank call MPI at the same time: threads [changed].  Each says how often it called
// what, and a sum of what it received.  `changed`: the second thread changes its send buffers too early.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { rounds = 400, bytes = 512, most = 16 };

struct one_thread {
  int number;
  int changes;
  MPI_Comm comm;
  unsigned long sum;
  int calls[most];
};

static const char* const names[most] = {"MPI_Isend", "MPI_Irecv",     "MPI_Waitall", "MPI_Send",
                                        "MPI_Recv",  "MPI_Allreduce", "MPI_Iprobe",  "MPI_Issend",
                                        "MPI_Wait",  "MPI_Iallreduce"};
enum { isend, irecv, waitall, send, recv, allreduce, iprobe, issend, wait_one, iallreduce };

static int me;

static void add(struct one_thread* to, const unsigned char* data) {
  for (int i = 0; i < bytes; ++i) to->sum = to->sum * 31 + data[i];
}

/// Both ways at once, by requests.
static void exchange(struct one_thread* t, int round, unsigned char* out, unsigned char* in) {
  MPI_Request requests[2];
  memset(out, round + 3 * me + 7 * t->number, bytes);
  MPI_Irecv(in, bytes, MPI_BYTE, 1 - me, round, t->comm, &requests[0]);
  MPI_Isend(out, bytes, MPI_BYTE, 1 - me, round, t->comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  ++t->calls[irecv], ++t->calls[isend], ++t->calls[waitall];
  add(t, in);
}

/// There and back, by calls that block; looked for before it is received.
static void ping_pong(struct one_thread* t, int round, unsigned char* out, unsigned char* in) {
  for (int turn = 0; turn < 2; ++turn) {
    if (turn == me) {
      MPI_Send(out, bytes, MPI_BYTE, 1 - me, round, t->comm);
      ++t->calls[send];
      continue;
    }
    for (int is_there = 0; !is_there; ++t->calls[iprobe])
      MPI_Iprobe(1 - me, round, t->comm, &is_there, MPI_STATUS_IGNORE);
    MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, round, t->comm, MPI_STATUS_IGNORE);
    ++t->calls[recv];
    add(t, in);
  }
}

static void reduce(struct one_thread* t, int round) {
  unsigned long own = (unsigned long)(round + me + t->number), all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, t->comm);
  t->sum = t->sum * 31 + all;
  MPI_Request request;
  MPI_Iallreduce(&own, &all, 1, MPI_UNSIGNED_LONG, MPI_MAX, t->comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  t->sum = t->sum * 31 + all;
  ++t->calls[allreduce], ++t->calls[iallreduce], ++t->calls[wait_one];
}

/// A synchronous send, whose buffer the thread changes before it waits if it is told to.
static void send_synchronously(struct one_thread* t, unsigned char* out, unsigned char* in) {
  MPI_Request request;
  MPI_Issend(out, 8, MPI_BYTE, 1 - me, rounds, t->comm, &request);
  if (t->changes) ++out[0];
  MPI_Recv(in, 8, MPI_BYTE, 1 - me, rounds, t->comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  ++t->calls[issend], ++t->calls[recv], ++t->calls[wait_one];
}

static void* work(void* of) {
  struct one_thread* t = of;
  unsigned char out[bytes], in[bytes];
  for (int round = 0; round < rounds; ++round) {
    exchange(t, round, out, in);
    ping_pong(t, round, out, in);
    reduce(t, round);
  }
  send_synchronously(t, out, in);
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  struct one_thread threads[2] = {{.number = 0}, {.number = 1, .changes = argc > 1}};
  pthread_t second;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  printf("level %s\n", level == MPI_THREAD_MULTIPLE ? "multiple" : "less");
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].comm);
  pthread_create(&second, NULL, work, &threads[1]);
  work(&threads[0]);
  pthread_join(second, NULL);
  for (int i = 0; i < 2; ++i) {
    printf("sum of rank %d thread %d: %lu\n", me, i, threads[i].sum);
    for (int call = 0; call < most; ++call)
      if (threads[i].calls[call] > 0) printf("called %s %d\n", names[call], threads[i].calls[call]);
    MPI_Comm_free(&threads[i].comm);
  }
  MPI_Finalize();
  return 0;
}
