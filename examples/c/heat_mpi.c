/* SPDX-License-Identifier: BSD-3-Clause */
/* A hot wall above a cold plate, in bands of rows: plain MPI, as many programs are. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { width = 200, height = 120, steps = 100 };

static void relax(const double* from, double* to, int first, int last) {
  for (int y = first; y < last; ++y)
    for (int x = 1; x < width - 1; ++x) {
      const double* c = &from[y * width + x];
      to[y * width + x] = 0.25 * (c[-1] + c[1] + c[-width] + c[width]);
    }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rows = height * (rank + 1) / size - height * rank / size;
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double* u = calloc((size_t)(rows + 2) * width, sizeof *u); /* rows 0 and rows + 1 are ghosts */
  double* v = calloc((size_t)(rows + 2) * width, sizeof *v);
  for (int x = 0; rank == 0 && x < width; ++x) u[x] = v[x] = 1;

  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[4];
    MPI_Irecv(&u[0], width, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&u[(rows + 1) * width], width, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&u[width], width, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&u[rows * width], width, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    relax(u, v, 1, rows + 1);
    double* const swapped = u;
    u = v;
    v = swapped;
  }

  long mine = 0, all = 0;
  for (int i = width; i < (rows + 1) * width; ++i) mine += (long)(1e6 * u[i]);
  MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("heat in the plate: %ld millionths\n", all);
  free(u);
  free(v);
  MPI_Finalize();
  return 0;
}
