// SPDX-License-Identifier: BSD-3-Clause
// MPI that the program itself initialises, or that has ended:
// lifetime_program single|serialized|ended|twice.
#include <cstdio>
#include <string_view>

#include <mpi.h>
#include <plait/comm/environment.hpp>

int main(int argc, char** argv) {
  const std::string_view way = argc == 2 ? argv[1] : "";
  const bool by_the_program = way != "twice";
  int provided = MPI_THREAD_SINGLE;
  if (way == "single") MPI_Init(&argc, &argv);
  if (way == "ended" || way == "serialized")
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  if (way == "ended") MPI_Finalize();
  if (way == "twice") plait::environment{argc, argv};
  {
    plait::environment env{argc, argv};
    env.barrier();
  }
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) return 1;  // not the environment's to end
  std::puts("taken over");
  if (by_the_program) MPI_Finalize();
}
