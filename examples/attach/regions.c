/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <plait/region.h>

enum { steps = 50, cells = 1 << 18, halo = 1 << 14 };
static double field[cells];

static void compute(void) {
  plait_region_begin("compute");
  for (int i = 1; i + 1 < cells; ++i)
    field[i] = 0.5 * field[i] + 0.25 * (field[i - 1] + field[i + 1]);
  plait_region_end("compute");
}

static void exchange(int left, int right) {
  plait_region_begin("exchange");
  MPI_Sendrecv(field, halo, MPI_DOUBLE, left, 0, field + cells - halo, halo, MPI_DOUBLE, right, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  plait_region_end("exchange");
}

int main(int argc, char** argv) {
  int me, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int step = 0; step < steps; ++step) {
    plait_region_begin("step");
    compute();
    exchange((me + ranks - 1) % ranks, (me + 1) % ranks);
    plait_region_end("step");
  }
  MPI_Finalize();
  return 0;
}
