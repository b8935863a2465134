// SPDX-License-Identifier: BSD-3-Clause
// Steps of work that all ranks share, one of which has twice the work of each other: scaling.
#include <mpi.h>
#include <time.h>

enum { steps = 20 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double seconds) {
  for (const double end = now() + seconds; now() < end;) {
  }
}

int main(int argc, char** argv) {
  int me, ranks;
  double mine = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int step = 0; step < steps; ++step) {
    compute((me == 0 ? 2 : 1) * 0.01 / ranks);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return sum != ranks;
}
