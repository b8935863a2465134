/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI for the program in Fortran, which so needs the wrapper of no compiler. */
#include <mpi.h>

int start_mpi(void) {
  int provided;
  MPI_Init_thread(0, 0, MPI_THREAD_SERIALIZED, &provided);
  return (int)MPI_Comm_c2f(MPI_COMM_WORLD);
}
double mpi_seconds(void) {
  return MPI_Wtime();
}
void end_mpi(void) {
  MPI_Finalize();
}
