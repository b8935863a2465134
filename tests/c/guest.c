/* SPDX-License-Identifier: BSD-3-Clause */
/* plait as a guest: on some of the ranks of a program that goes on with its own MPI, whose error
   handler and signals stay as they are.

   guest serialized|multiple */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <signal.h>

#include "support.h"

static int errors_seen;
static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++errors_seen;
}

static void on_signal(int number) {
  (void)number;
}

struct adding {
  double* to;
  const double* what;
};
static int add(void* argument) {
  const struct adding* a = argument;
  *a->to += *a->what;
  return 0;
}

/* A send to a rank that does not exist reaches the program's own handler. */
static void expect_own_handler(MPI_Errhandler own) {
  MPI_Errhandler now = MPI_ERRHANDLER_NULL;
  int number = 1, size = 0;
  const int before = errors_seen;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  EQUAL(1, now == own);
  MPI_Errhandler_free(&now);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Send(&number, 1, MPI_INT, size + 99, 0, MPI_COMM_WORLD);
  EQUAL(before + 1, errors_seen);
}

static void expect_own_signals(const struct sigaction* own) {
  for (int number = 1; number < 32; ++number) {
    struct sigaction now;
    if (sigaction(number, NULL, &now) != 0) continue;
    EQUAL(1, now.sa_handler == own[number].sa_handler);
  }
}

/* A ring of numbers in plait, beside a ring of the program's own on another communicator. */
static void work(plait_runtime* rt, int uses_token, MPI_Comm own) {
  int rank = 0, size = 0, all = 0;
  DO(plait_rank(rt, &rank));
  DO(plait_size(rt, &size));
  double x = rank, got = 0, sum = 0;
  for (int round = 0; round < 20; ++round) {
    DO(plait_send(rt, "ring", plait_bytes(&x, sizeof x), (rank + 1) % size, 0, NULL));
    DO(plait_recv(rt, "ring", plait_bytes(&got, sizeof got), (rank + size - 1) % size, 0, NULL));
    struct adding a = {&sum, &got};
    DO(plait_task(rt, "add", add, a, plait_in(&got, sizeof got), plait_inout(&sum, sizeof sum)));
    int mine = rank + round, theirs = -1, largest = -1;
    if (uses_token) { /* at MPI_THREAD_SERIALIZED nobody else calls MPI meanwhile */
      DO(plait_wait(rt));
      DO(plait_mpi_begin(rt));
    }
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 3, &theirs, 1, MPI_INT,
                 (rank + size - 1) % size, 3, own, MPI_STATUS_IGNORE);
    MPI_Allreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, own);
    if (uses_token) DO(plait_mpi_end(rt));
    EQUAL((rank + size - 1) % size + round, theirs);
    EQUAL(size - 1 + round, largest);
  }
  DO(plait_wait(rt));
  EQUAL(20 * ((rank + size - 1) % size), sum);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  EQUAL(1, size <= all);
}

/* Another thread of the program, in plain MPI at MPI_THREAD_MULTIPLE. */
struct other {
  MPI_Comm comm;
  plait_runtime* rt;
};
static void* beside(void* argument) {
  const struct other* o = argument;
  int rank = 0, size = 0;
  MPI_Comm_rank(o->comm, &rank);
  MPI_Comm_size(o->comm, &size);
  for (int round = 0; round < 20; ++round) {
    int mine = rank + round, theirs = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 9, &theirs, 1, MPI_INT,
                 (rank + size - 1) % size, 9, o->comm, MPI_STATUS_IGNORE);
    EQUAL((rank + size - 1) % size + round, theirs);
  }
  double x = 0;
  const plait_memory m = plait_bytes(&x, sizeof x);
  REFUSED(PLAIT_ERR_STATE, "another thread", plait_send(o->rt, "no", m, 0, 0, NULL));
  REFUSED(PLAIT_ERR_STATE, "another thread", plait_wait(o->rt));
  return NULL;
}

int main(int argc, char** argv) {
  const int multiple = argc > 1 && strcmp(argv[1], "multiple") == 0;
  const int level = multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
  int provided = 0, rank = 0, size = 0;
  struct sigaction own[32];
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  plait_runtime* rt = NULL;
  REFUSED(PLAIT_ERR_STATE, "not initialised", plait_init(MPI_COMM_WORLD, NULL, &rt));
  MPI_Init_thread(&argc, &argv, level, &provided);
  EQUAL(level, provided);
  REFUSED(PLAIT_ERR_STATE, "plait_prepare", plait_prepare());
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  signal(SIGUSR1, on_signal);
  for (int number = 1; number < 32; ++number) sigaction(number, NULL, &own[number]);

  /* the upper half of the ranks, backwards; the others go on alone */
  MPI_Comm half = MPI_COMM_NULL, beside_it = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2 ? 0 : MPI_UNDEFINED, -rank, &half);
  for (int again = 0; again < 2; ++again) { /* one runtime after the other */
    int largest = 0;
    if (half == MPI_COMM_NULL) {
      REFUSED(PLAIT_ERR_USAGE, "MPI_COMM_NULL", plait_init(half, NULL, &rt));
    } else {
      int own_rank = 0, joined_rank = -1;
      DO(plait_init(half, NULL, &rt));
      plait_runtime* second = NULL;
      REFUSED(PLAIT_ERR_STATE, "one runtime", plait_init(half, NULL, &second));
      MPI_Comm_rank(half, &own_rank);
      DO(plait_rank(rt, &joined_rank));
      EQUAL(own_rank, joined_rank);
      if (multiple) {
        MPI_Comm_dup(half, &beside_it);
        struct other o = {beside_it, rt};
        pthread_t thread;
        EQUAL(0, pthread_create(&thread, NULL, beside, &o));
        work(rt, 0, half);
        EQUAL(0, pthread_join(thread, NULL));
        MPI_Comm_free(&beside_it);
      } else {
        work(rt, 1, half);
      }
      expect_own_signals(own);
      DO(plait_finalize(&rt));
    }
    expect_own_handler(handler);
    MPI_Allreduce(&rank, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EQUAL(size - 1, largest);
  }
  if (half != MPI_COMM_NULL) MPI_Comm_free(&half);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  REFUSED(PLAIT_ERR_STATE, "ended", plait_init(MPI_COMM_WORLD, NULL, &rt));
  return 0;
}
