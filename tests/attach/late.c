// SPDX-License-Identifier: BSD-3-Clause
// Opens its MPI library while it runs, and looks MPI's functions up there: late LIBRARY.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 3;
  int (*start)(int*, char***) = (int (*)(int*, char***))dlsym(library, "MPI_Init");
  int (*end)(void) = (int (*)(void))dlsym(library, "MPI_Finalize");
  start(NULL, NULL);
  end();
  puts("late");
  return 0;
}
