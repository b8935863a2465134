/* SPDX-License-Identifier: BSD-3-Clause */
/* A hot wall warms a plate.  Rows of the plate are divided among the ranks.  Before each step the
   ranks exchange the rows at their edges, and wait for them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { width = 1 << 16, height = 64, steps = 80 };

/* Writes `rows` rows of the next step; `from` has one row more on each side. */
static void sweep(const double* from, double* to, int rows) {
  for (int j = 0; j < rows; ++j, from += width, to += width) {
    const double *below = from, *here = from + width, *above = from + 2 * width;
    for (int i = 0; i < width; ++i) {
      const double left = i > 0 ? here[i - 1] : 1.0; /* the hot wall */
      const double right = i + 1 < width ? here[i + 1] : 0.0;
      to[i] = 0.25 * (left + right + below[i] + above[i]);
    }
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (height % size != 0 || height / size < 3) {
    if (rank == 0) fprintf(stderr, "1_loop: start 1, 2, 4, 8 or 16 ranks, not %d\n", size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int rows = height / size;
  const int below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

  /* Rows 1 to `rows` are this rank's own; rows 0 and `rows` + 1 are its neighbours'. */
  const size_t bytes = (size_t)(rows + 2) * width * sizeof(double);
  double* u = memset(aligned_alloc(64, bytes), 0, bytes);
  double* v = memset(aligned_alloc(64, bytes), 0, bytes);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(u + rows * width, width, MPI_DOUBLE, above, 0, u, width, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(u + width, width, MPI_DOUBLE, below, 1, u + (rows + 1) * width, width, MPI_DOUBLE,
                 above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sweep(u, v + width, rows);
    double* swapped = u;
    u = v;
    v = swapped;
  }
  const double end = MPI_Wtime();

  double* plate = rank == 0 ? malloc((size_t)width * height * sizeof *plate) : NULL;
  MPI_Gather(u + width, rows * width, MPI_DOUBLE, plate, rows * width, MPI_DOUBLE, 0,
             MPI_COMM_WORLD);
  if (rank == 0) {
    double heat = 0;
    for (int cell = 0; cell < width * height; ++cell) heat += plate[cell];
    printf("heat in the plate: %.9f\n", heat);
    printf("in the corner of the hot wall: %.12f\n", plate[0]);
    fprintf(stderr, "seconds in the loop: %.3f\n", end - begin);
  }
  free(u);
  free(v);
  free(plate);
  MPI_Finalize();
  return 0;
}
