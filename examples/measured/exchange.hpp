// SPDX-License-Identifier: BSD-3-Clause
/// The messages of plain MPI: a row to and from each neighbour.
#pragma once

#include <plait/comm/mpi.hpp>

#include "ring.hpp"

struct exchange {
  MPI_Request requests[4];

  exchange(plait::environment& env, ring& p) {
    const auto row = [&](int r) { return p.part(p.u, r, r + 1).data(); };
    const int n = static_cast<int>(p.columns);
    MPI_Irecv(row(0), n, MPI_DOUBLE, p.above, 0, native(env), &requests[0]);
    MPI_Irecv(row(p.rows + 1), n, MPI_DOUBLE, p.below, 1, native(env), &requests[1]);
    MPI_Isend(row(p.rows), n, MPI_DOUBLE, p.below, 0, native(env), &requests[2]);
    MPI_Isend(row(1), n, MPI_DOUBLE, p.above, 1, native(env), &requests[3]);
  }
  void wait() { MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); }
  bool test() {
    int done = 0;
    MPI_Testall(4, requests, &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }
};
