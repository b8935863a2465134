// SPDX-License-Identifier: BSD-3-Clause
#include "slab_sums.hpp"

#include "measure/base/mpi_check.hpp"

namespace osem {

using plait::measure::check_mpi;

void slab_sums::prepare(const problem& p) {
  requests_.assign(static_cast<std::size_t>(p.slabs()), MPI_REQUEST_NULL);
  started_.assign(requests_.size(), 0);
}

void slab_sums::start(problem& p, int slab) {
  const std::span<std::int64_t> z = p.slab(p.credits, slab);
  started_[static_cast<std::size_t>(slab)] = plait::now_ticks();
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, z.data(), static_cast<int>(z.size()), MPI_INT64_T, MPI_SUM,
                           communicator_, &requests_[static_cast<std::size_t>(slab)]),
            "MPI_Iallreduce");
}

void slab_sums::look() {
  int all = 0;
  check_mpi(
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE),
      "MPI_Testall");
}

void slab_sums::wait(int slab, plait::measure::stopwatch& watch) {
  check_mpi(MPI_Wait(&requests_[static_cast<std::size_t>(slab)], MPI_STATUS_IGNORE), "MPI_Wait");
  watch.lap(plait::activity::exposed, "wait");
  if (watch.recording())
    watch.add_message("allreduce", {}, started_[static_cast<std::size_t>(slab)],
                      plait::now_ticks());
}

}  // namespace osem
