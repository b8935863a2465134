// SPDX-License-Identifier: BSD-3-Clause
// Loads a shared library that uses plait, as an interpreter loads an extension: it knows nothing of
// plait or MPI itself.  It takes the address of `free`, as interpreters do.
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

void (*volatile free_by_address)(void*) = nullptr;

int main(int argc, char** argv) {
  void* const library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  void* const function = library != nullptr ? dlsym(library, "run_in_library") : nullptr;
  if (function == nullptr) {
    std::fprintf(stderr, "loader: %s\n", argc == 2 ? dlerror() : "expected LIBRARY");
    return 2;
  }
  free_by_address = &std::free;
  free_by_address(std::malloc(1));
  return reinterpret_cast<int (*)(int, char**)>(function)(argc, argv);
}
