// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

namespace plait::bench::metg {

std::vector<peer> built_peers() {
  std::vector<peer> peers{plait_tasks(), plait_replayed(), plain_mpi()};
#ifdef PLAIT_BENCH_OPENMP
  peers.push_back(openmp_tasks());
#endif
#ifdef PLAIT_BENCH_STARPU
  peers.push_back(starpu_tasks());
#endif
  return peers;
}

std::map<std::string, std::string> missing_peers() {
  std::map<std::string, std::string> missing;
#ifndef PLAIT_BENCH_OPENMP
  missing["openmp"] = "a compiler with OpenMP";
#endif
#ifndef PLAIT_BENCH_STARPU
  missing["starpu"] = "libstarpu-dev";
#endif
  return missing;
}

}  // namespace plait::bench::metg
