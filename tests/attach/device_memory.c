// SPDX-License-Identifier: BSD-3-Clause
// A send buffer in memory that the stand-in for an accelerator's library says is a device's:
// device_memory LIBRARY local|global.  Nobody may read it between the send and its wait.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { bytes = 64, page = 4096 };

int main(int argc, char** argv) {
  MPI_Request request;
  int me;
  char in[bytes];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  void* const library = argc != 3 ? NULL : dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
  if (library == NULL) return 2;
  char* (*memory)(void) = (char* (*)(void))dlsym(library, "stand_in_memory");
  char* const out = memory();
  memset(out, 7, bytes);
  MPI_Isend(out, bytes, MPI_CHAR, 1 - me, 1, MPI_COMM_WORLD, &request);
  mprotect(out, page, PROT_NONE);
  MPI_Recv(in, bytes, MPI_CHAR, 1 - me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("got %d\n", in[bytes - 1]);
  MPI_Finalize();
  return 0;
}
