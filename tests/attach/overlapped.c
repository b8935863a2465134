// SPDX-License-Identifier: BSD-3-Clause
// Overlap by hand: rank 0 computes five pieces of 2 ms with a test in vain behind each, and waits
// for a message that rank 1 sends after 40 ms.  The second time in a region called as the first.
#include <mpi.h>
#include <plait/region.h>

static void compute(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
  }
}

int main(int argc, char** argv) {
  int me;
  int number = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int step = 0; step < 2; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    plait_region_begin("step");
    if (me == 0) {
      MPI_Request request;
      MPI_Irecv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
      for (int piece = 0; piece < 5; ++piece) {
        int done;
        compute(0.002);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      }
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      compute(0.04);
      MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    plait_region_end("step");
  }
  MPI_Finalize();
  return 0;
}
