// SPDX-License-Identifier: BSD-3-Clause
// Steps of a solver on a line of ranks: ghost rows of both neighbours, work on the own rows, a sum.
// Work waits on the clock, so that more ranks than cores take no longer.  Calls MPI alone: for
// `plait attach` and `plait simulate`.
//
//   halo ROWS [STEPS [NS]]     rows of all ranks, steps, ns that a row takes
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { row_values = 16384 };

static void exchange(double* rows, int own, int below, int above) {
  MPI_Request all[4];
  const size_t last = (size_t)own * row_values;
  MPI_Irecv(rows, row_values, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &all[0]);
  MPI_Irecv(rows + last + row_values, row_values, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &all[1]);
  MPI_Isend(rows + row_values, row_values, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &all[2]);
  MPI_Isend(rows + last, row_values, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &all[3]);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
}

static void work(long ns) {
  const struct timespec time = {ns / 1000000000, ns % 1000000000};
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int all_rows = argc > 1 ? atoi(argv[1]) : 1024;
  const int steps = argc > 2 ? atoi(argv[2]) : 50;
  const long row_ns = argc > 3 ? atol(argv[3]) : 100000;
  if (all_rows <= 0 || steps <= 0 || row_ns <= 0 || all_rows % ranks != 0) {
    if (rank == 0) fprintf(stderr, "halo: give ROWS that %d ranks divide, STEPS and NS\n", ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int own = all_rows / ranks;
  double* rows = calloc((size_t)(own + 2) * row_values, sizeof(double));
  if (rows == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  const int below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int above = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    exchange(rows, own, below, above);
    work(own * row_ns);
    const double mine = own;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%d rows in all\n", (int)sum);
  free(rows);
  MPI_Finalize();
  return 0;
}
