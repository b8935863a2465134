// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI in functions that pass them on.  A line that a test asks for ends in its name.
#include <mpi.h>
#include <stdlib.h>

#include "wrapped_sums.hpp"

namespace halo {

/// A wrapper: one place, several callers.
template <class T>
[[gnu::noinline]] T total(T own) {
  T all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // total
  return all;
}

/// A wrapper that the compiler dissolves.
[[gnu::always_inline]] inline double largest(double own) {
  double all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);  // largest
  return all;
}

struct part {
  int peer;
  double cells[4];

  [[gnu::noinline]] void swap(int tag) {
    const MPI_Comm all = MPI_COMM_WORLD;
    MPI_Status state;
    MPI_Sendrecv_replace(cells, 4, MPI_DOUBLE, peer, tag, peer, tag, all, &state);  // swap
    cells[0] += tag;
  }
  /// Called from several places, too, and everything goes through one function.
  [[gnu::noinline]] void exchange() {
    swap(1);
    swap(2);
    cells[1] += 1;
  }
};

}  // namespace halo

/// Of no fixed size on the stack, so with a frame pointer.
[[gnu::noinline]] static double residual(int size) {
  auto* own = static_cast<double*>(__builtin_alloca(sizeof(double) * static_cast<size_t>(size)));
  for (int i = 0; i < size; ++i) own[i] = i;
  return halo::total(own[size / 2]) + own[size - 1];  // residual
}

[[gnu::noinline]] static double pressure(halo::part& of) {
  of.exchange();                                      // pressure exchanges
  return 2 * halo::total(of.cells[0]) + of.cells[1];  // pressure
}

[[gnu::noinline]] static double velocity(halo::part& of) {
  of.exchange();                                        // velocity exchanges
  return 3 * halo::largest(of.cells[0]) + of.cells[1];  // velocity
}

/// No wrapper: nearly all of its calls come from one place.
[[gnu::noinline]] static double step(halo::part& of) {
  MPI_Bcast(of.cells, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);  // step
  return of.cells[0] + 1;
}

/// No wrapper: called from one line, which the compiler copies.
[[gnu::noinline]] static double smallest(double own) {
  double all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);  // smallest
  return all;
}

[[gnu::noinline]] static void smooth(double* cells, int count) {
#pragma GCC unroll 2
  for (int i = 0; i < count; ++i) {
    MPI_Scan(MPI_IN_PLACE, &cells[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);  // smooth
    cells[i] += smallest(cells[i]);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  halo::part own{};
  MPI_Comm_rank(MPI_COMM_WORLD, &own.peer);
  own.peer = 1 - own.peer;
  double sum = step(own);
  for (int i = 0; i < 20; ++i) {
    sum += step(own);
    sum += pressure(own) + velocity(own);
    sum += residual(3 + i % 5);
    sum += halo::largest(sum);  // main
    smooth(own.cells, 4);
    sum += sum_below(1);    // first sum
    sum += sum_below(sum);  // second sum
    sum += root_of_all(i);  // root
  }
  MPI_Finalize();
  return sum < 0 ? 1 : 0;
}
