// SPDX-License-Identifier: BSD-3-Clause
// A shared library that uses plait, as an extension of another language would: loader.cpp loads it.
#include <cstdio>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

/// Collective.  Returns the program's exit code.
extern "C" [[gnu::visibility("default")]] int run_in_library(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env, {.tasks = {.workers = 2}}};
  int mine = 0;
  int sum = 0;
  rt.task(
      "mine", [](int& to, int rank) { to = rank + 1; }, plait::out(mine), env.rank());
  rt.allreduce("sum", plait::in(mine), plait::out(sum));
  rt.wait();
  int by_mpi = 0;
  MPI_Allreduce(&mine, &by_mpi, 1, MPI_INT, MPI_SUM, plait::native(env));
  if (env.rank() == 0) std::printf("the sum over %d ranks is %d\n", env.size(), sum);
  return sum == by_mpi ? 0 : 1;
}
