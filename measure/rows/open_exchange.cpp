// SPDX-License-Identifier: BSD-3-Clause
#include "open_exchange.hpp"

#include <thread>

#include "measure/base/mpi_check.hpp"
#include "measure/load/transport_cost.hpp"

namespace plait::measure {

open_exchange::open_exchange(environment& env, std::span<const std::byte> outgoing,
                             std::span<std::byte> incoming, int messages)
    : requests_(2 * static_cast<std::size_t>(messages), MPI_REQUEST_NULL) {
  const int peer = 1 - env.rank();
  const std::size_t size = outgoing.size() / static_cast<std::size_t>(messages);
  const auto count = static_cast<int>(size);
  MPI_Request* next = requests_.data();
  for (int i = 0; i < messages; ++i)
    check_mpi(MPI_Irecv(incoming.subspan(static_cast<std::size_t>(i) * size, size).data(), count,
                        MPI_BYTE, peer, i, native(env), next++),
              "MPI_Irecv");
  for (int i = 0; i < messages; ++i)
    check_mpi(MPI_Isend(outgoing.subspan(static_cast<std::size_t>(i) * size, size).data(), count,
                        MPI_BYTE, peer, i, native(env), next++),
              "MPI_Isend");
}

bool open_exchange::test() {
  int done = 0;
  check_mpi(
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
      "MPI_Testall");
  return done != 0;
}

void open_exchange::wait() {
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
}

void open_exchange::wait_asleep() {
  while (!test()) std::this_thread::sleep_for(between_looks);
}

}  // namespace plait::measure
