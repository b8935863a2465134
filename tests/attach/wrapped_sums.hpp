// SPDX-License-Identifier: BSD-3-Clause
/// A file of wrappers: one has several callers, another has one.
#pragma once

#include <mpi.h>

[[gnu::noinline]] static double sum_below(double own) {
  double all = 0;
  MPI_Exscan(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // sum below
  return all + 1;
}

[[gnu::noinline]] static int root_of_all(int own) {
  int all = 0;
  MPI_Reduce(&own, &all, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);  // root of all
  return all + 1;
}
