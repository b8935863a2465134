// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI for python_lines.py, in a file that is called as mpi4py's.  Python's ctypes gives
// the interpreter's lock away while they run, as mpi4py does.
#include <mpi.h>
#include <stddef.h>

void start(void) {
  int level;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
}

int rank_of(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void send(int value, int to, int tag) {
  MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

int receive(int from, int tag) {
  int value;
  MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return value;
}

int sum(int value) {
  int total;
  MPI_Allreduce(&value, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

void finish(void) {
  MPI_Finalize();
}
