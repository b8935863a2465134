// SPDX-License-Identifier: BSD-3-Clause
// A program's own std::terminate handler is its own while plait runs.
#include <cstdio>
#include <exception>

#include <mpi.h>
#include <plait/plait.h>

namespace {
void own_handler() {
  std::fputs("the program's own handler\n", stderr);
  MPI_Abort(MPI_COMM_WORLD, 3);
}
}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  std::set_terminate(&own_handler);
  plait_runtime* rt = nullptr;
  if (plait_init(MPI_COMM_WORLD, nullptr, &rt) != PLAIT_SUCCESS) return 1;
  if (std::get_terminate() != &own_handler) return 1;
  throw 7;
}
