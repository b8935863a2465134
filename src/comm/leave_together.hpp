// SPDX-License-Identifier: BSD-3-Clause
/// The last things that ranks do together.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include <mpi.h>

namespace plait {

/// Waits until all ranks have come to what `begin(&request)` begins; `test` is MPI's. `still_waits`
/// is called once, when that has taken seconds.  Collective; without effect after an error of
/// MPI's.
///
/// A rank that waits here looks every millisecond, and every n milliseconds where 8 n ranks share
/// its core: ranks that are done take little of the core from one that is not.
void meet(auto&& begin, auto&& test, int ranks_a_core, auto&& still_waits) {
  MPI_Request left{};
  int over = begin(&left) == MPI_SUCCESS ? 0 : 1;
  std::chrono::microseconds pause{20};
  const std::chrono::microseconds longest{1000 * std::max(1, ranks_a_core / 8)};
  std::chrono::microseconds until_told{5'000'000};
  while (over == 0 && test(&left, &over, MPI_STATUS_IGNORE) == MPI_SUCCESS && over == 0) {
    std::this_thread::sleep_for(pause);  // the others may compute for long
    if (until_told.count() > 0 && (until_told -= pause).count() <= 0) still_waits();
    pause = std::min(2 * pause, longest);
  }
}

/// Has nobody go into MPI_Finalize before all ranks are sure to come; `ibarrier` and `test` are
/// MPI's.  Collective; without effect after an error of MPI's.  In MPI_Finalize a rank waits for
/// the others in the launcher's hands, and mpiexec of Open MPI 4.1 hangs or crashes when two ranks
/// fail while a third one does.  [a broadcast of different sizes on three ranks: 3 of 14 jobs]
///
/// MPICH 4.0 over TCP (ch4:ucx) can hang in MPI_Finalize, with two ranks too: a rank that is done
/// stops progressing while another's disconnect still needs its answer.  That is so if the other
/// still called MPI, for its own messages or inside its last barrier, when the first disconnect
/// came.  (MPICH has since removed that step.)  So nobody disconnects before everybody has left
/// this one.
void leave_together(MPI_Comm all, auto&& ibarrier, auto&& test, int ranks_a_core) {
  meet([&](MPI_Request* left) { return ibarrier(all, left); }, test, ranks_a_core, [] {});
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40200000
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
#endif
}

}  // namespace plait
