// SPDX-License-Identifier: BSD-3-Clause
#include "bench/found.hpp"
#include "runner.hpp"

namespace plait::bench::metg {

std::vector<peer> built_peers() {
  std::vector<peer> peers{plait_tasks(), plait_replayed(), plain_mpi()};
  if constexpr (found_openmp) peers.push_back(openmp_tasks());
  if constexpr (found_starpu) peers.push_back(starpu_tasks());
  return peers;
}

std::map<std::string, std::string> missing_peers() {
  return missing_of({"openmp", "starpu"});
}

}  // namespace plait::bench::metg
