// SPDX-License-Identifier: BSD-3-Clause
#include "contestants.hpp"

namespace plait::bench::exchange {

std::vector<contestant> all_contestants() {
  std::vector<contestant> all{blocking(), nonblocking(), nonblocking_tested()};
  for (const progress policy : {progress::automatic, progress::dedicated, progress::sleeping,
                                progress::workers, progress::none})
    all.push_back(plait_tasks(policy));
  for (const int worst_delay_us : {50, 200, 500}) all.push_back(plait_sleeping(worst_delay_us));
#ifdef PLAIT_BENCH_STARPUMPI
  all.push_back(starpu_mpi_tasks());
#endif
  return all;
}

std::map<std::string, std::string> missing_contestants() {
  std::map<std::string, std::string> missing;
#ifndef PLAIT_BENCH_STARPUMPI
  missing["starpu-mpi"] = "libstarpu-dev, which is built for Open MPI";
#endif
  return missing;
}

}  // namespace plait::bench::exchange
