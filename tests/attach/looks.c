// SPDX-License-Identifier: BSD-3-Clause
// Communication that goes on while a rank computes and makes no call: looks CASE [multiple].  Rank
// 0 computes until it sees, without MPI, that the other side is done; it says "seen", or "not seen"
// after ten seconds.  Only somebody who looks for it can bring that about.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { many = 1 << 20 };

static volatile int* told;  // memory of both ranks that MPI knows nothing of
static char* data;
static int me;

static int is_seen(volatile int* what) {
  const time_t end = time(NULL) + 10;
  while (*what == 0 && time(NULL) < end) {
  }
  return *what != 0;
}

static void say(int seen) {
  printf("%s\n", seen ? "seen" : "not seen");
}

/// A put by rank 1 into the window of rank 0.
static void put(void) {
  int* memory;
  MPI_Win window;
  MPI_Alloc_mem(sizeof *memory, MPI_INFO_NULL, &memory);
  *memory = 0;
  MPI_Win_create(memory, sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (me == 0) {
    say(is_seen(memory));
  } else {
    const int one = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Free_mem(memory);
}

/// A get by rank 0, whose request it has not waited for yet.  Where the answer was there before the
/// call returned, nobody had to look: it gets again.
static void get(void) {
  int* memory;
  volatile int got = 0;
  MPI_Win window;
  MPI_Alloc_mem(sizeof *memory, MPI_INFO_NULL, &memory);
  *memory = 1;
  MPI_Win_create(memory, sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) {
    MPI_Request request;
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    for (int turn = 0, at_once = 1; at_once && turn < 1000; ++turn) {
      got = 0;
      MPI_Rget((int*)&got, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
      at_once = got;
      if (!at_once) say(is_seen(&got));
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock(1, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Free_mem(memory);
}

/// Rank 1 receives what rank 0 has sent by a call that is over; then it tells rank 0, without MPI.
static void receive(void) {
  usleep(50000);
  MPI_Recv(data, many, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  *told = 1;
}

static void buffered_send(void) {
  static char spare[many + 4096];
  if (me == 1) return receive();
  void* old;
  int size;
  MPI_Buffer_attach(spare, sizeof spare);
  MPI_Bsend(data, many, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  say(is_seen(told));
  MPI_Buffer_detach(&old, &size);
}

static void freed_request(void) {
  if (me == 1) return receive();
  MPI_Request request;
  MPI_Isend(data, many, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  say(is_seen(told));
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    {"put", put}, {"get", get}, {"buffered_send", buffered_send}, {"freed_request", freed_request}};

int main(int argc, char** argv) {
  int level;
  const int wanted = argc > 2 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, wanted, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  data = calloc(1, many);
  const int file = open("told", O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, sizeof *told) != 0) return 1;
  told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    if (argc > 1 && strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
