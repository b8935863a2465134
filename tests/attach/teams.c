// SPDX-License-Identifier: BSD-3-Clause
// Ranks with OpenMP threads whose shares are known: teams CASE.  Work is sleep, so that threads
// need no cores; each part is timed by the program, too, and rank 0 prints the sums of all ranks in
// seconds.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { rounds = 4, threads = 3 };
static double useful, serial, unequal;  // sums over threads
static int me;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Returns how long it was.
static double work(double ms) {
  const double begin = now();
  const struct timespec t = {0, (long)(1e6 * ms)};
  nanosleep(&t, NULL);
  return now() - begin;
}

/// Adds what three threads did in parallel, each until the slowest was done.
static void add(const double* took) {
  double most = 0;
  for (int i = 0; i < threads; ++i) most = took[i] > most ? took[i] : most;
  for (int i = 0; i < threads; ++i) {
    useful += took[i];
    unequal += most - took[i];
  }
}

static void add_serial(double took) {
  useful += took;
  serial += (threads - 1) * took;
}

/// The last thread works longest, up to the end of its team.
static void shares(void) {
  double took[threads];
#pragma omp parallel num_threads(threads)
  took[omp_get_thread_num()] = work(10 * (omp_get_thread_num() + 1));
  add(took);
  add_serial(work(20));
}

/// The first thread works longest before a barrier, and the last one behind it.
static void barriers(void) {
  double before[threads], behind[threads];
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    before[thread] = work(10 * (threads - thread));
#pragma omp barrier
    behind[thread] = work(10 * (thread + 1));
  }
  add(before);
  add(behind);
}

/// Loops with all kinds of schedules, in teams of their own and inside one: 3, 2 and 1 iterations.
static void loops(void) {
  double took[threads] = {0};
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int i = 0; i < 4; ++i) took[omp_get_thread_num()] += work(10);
  add(took);
  memset(took, 0, sizeof took);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (int i = 0; i < 4; ++i) took[omp_get_thread_num()] += work(10);
  add(took);
  memset(took, 0, sizeof took);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 4; ++i) took[omp_get_thread_num()] += work(10);
  }
  add(took);
  memset(took, 0, sizeof took);
#pragma omp parallel for num_threads(threads) schedule(guided)
  for (int i = 0; i < 4; ++i) took[omp_get_thread_num()] += work(10);
  add(took);
}

/// Calls of MPI by the first thread, inside a team and outside, for which rank 1 is late.
static void messages(void) {
  double took[threads] = {0};
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    took[thread] = work(thread == 0 ? 10 + 10 * me : 30);
    if (thread == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  add_serial(work(10 + 20 * me));
  for (int i = 0; i < threads; ++i) useful += took[i];
  MPI_Barrier(MPI_COMM_WORLD);
}

/// One thread makes tasks, which all run at the barrier.
static void tasks(void) {
  double took[threads] = {0};
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < 6; ++i) {
#pragma omp task
    took[omp_get_thread_num()] += work(10);
  }
  for (int i = 0; i < threads; ++i) useful += took[i];
}

/// Teams inside teams, and of one thread.
static void nested(void) {
  double took[threads];
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    double inner = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) inner = work(10 * (thread + 1));
    took[thread] = inner;
  }
  add(took);
#pragma omp parallel num_threads(1)
  add_serial(work(10));
}

static const struct {
  const char* name;
  void (*round)(void);
} cases[] = {{"shares", shares},     {"barriers", barriers}, {"loops", loops},
             {"messages", messages}, {"tasks", tasks},       {"nested", nested}};

int main(int argc, char** argv) {
  int provided;
#pragma omp parallel num_threads(threads)
  work(1);  // before MPI: not seen
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int i = 0; i < rounds; ++i) {
    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; ++c)
      if (argc > 1 && strcmp(cases[c].name, argv[1]) == 0) cases[c].round();
  }
  double own[] = {useful, serial, unequal}, all[3];
  MPI_Reduce(own, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) printf("useful %.9f\nserial %.9f\nunequal %.9f\n", all[0], all[1], all[2]);
  MPI_Finalize();
  return 0;
}
