// SPDX-License-Identifier: BSD-3-Clause
// What a call costs: price KIND [BLOCKS].  Prints the best and the median of the blocks, in ns; as it is
// and with plait attached, in turns, the difference is the price.  Two ranks.
//   ping      half a round trip of 8 bytes, so one MPI_Send and one MPI_Recv
//   requests  MPI_Irecv, MPI_Send and MPI_Wait of 8 bytes to itself
//   test      an MPI_Test in vain
//   region    a region's begin and end
//   blocking  a step of a program: some 0.15 ms of computation, two MPI_Sendrecv of 8 KiB, MPI_Allreduce
// With PRICE_LEVEL=serialized MPI is started as `plait attach --progress` starts it.
#include <mpi.h>
#include <plait/region.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { halo = 1024, cells = 1 << 14 };

static int me, other;
static char out[8], in[8];
static double halos[2][halo], field[cells];

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void ping(void) {
  if (me == 0) MPI_Send(out, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  MPI_Recv(in, 8, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (me == 1) MPI_Send(out, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
}

static void requests(void) {
  MPI_Request request;
  MPI_Irecv(in, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
  MPI_Send(out, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static MPI_Request never;

static void test(void) {
  int flag;
  MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
}

static void region(void) {
  plait_region_begin("region");
  plait_region_end("region");
}

static void blocking(void) {
  for (int sweep = 0; sweep < 2; ++sweep)
    for (int i = 1; i < cells - 1; ++i) field[i] = 0.5 * field[i] + 0.25 * (field[i - 1] + field[i + 1]);
  for (int side = 0; side < 2; ++side)
    MPI_Sendrecv(halos[0], halo, MPI_DOUBLE, other, side, halos[1], halo, MPI_DOUBLE, other, side,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double own = field[1], sum;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
  const char* name;
  void (*run)(void);
  int times, parts;
} kinds[] = {{"ping", ping, 20000, 2},
             {"requests", requests, 20000, 1},
             {"test", test, 50000, 1},
             {"region", region, 10000, 1},
             {"blocking", blocking, 400, 1}};

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  const char* level = getenv("PRICE_LEVEL");
  const int is_serialized = level != NULL && strcmp(level, "serialized") == 0;
  int provided;
  MPI_Init_thread(&argc, &argv, is_serialized ? MPI_THREAD_SERIALIZED : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  other = 1 - me;
  const int blocks = argc > 2 ? atoi(argv[2]) : 30;
  double* ns = malloc(sizeof(double) * (size_t)blocks);
  for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
    if (argc < 2 || strcmp(kinds[k].name, argv[1]) != 0) continue;
    if (kinds[k].run == test) MPI_Irecv(in, 8, MPI_CHAR, 0, 2, MPI_COMM_SELF, &never);
    for (int block = 0; block < blocks; ++block) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = now_ns();
      for (int i = 0; i < kinds[k].times; ++i) kinds[k].run();
      ns[block] = (now_ns() - begin) / kinds[k].times / kinds[k].parts;
    }
    qsort(ns, (size_t)blocks, sizeof *ns, by_value);
    if (me == 0) printf("%s: best %.1f, median %.1f ns\n", argv[1], ns[0], ns[blocks / 2]);
  }
  if (argc > 1 && strcmp(argv[1], "test") == 0) {
    MPI_Send(out, 8, MPI_CHAR, 0, 2, MPI_COMM_SELF);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
  }
  free(ns);
  MPI_Finalize();
  return 0;
}
