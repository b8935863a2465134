// SPDX-License-Identifier: BSD-3-Clause
#include "bench/found.hpp"
#include "peer.hpp"

namespace plait::bench::task_overhead {

std::vector<peer> built_peers() {
  std::vector<peer> peers{
      {"plait", "plait::scheduler, at most 4096 tasks in flight", {}, run_plait, plait_figures},
      {"plait replayed",
       "plait::scheduler, 16 tasks of each chain recorded, then replayed",
       {},
       run_plait_replayed,
       plait_figures}};
  if constexpr (found_openmp)
    peers.push_back({"openmp", "GCC's OpenMP: task depend(inout), one producer", {}, run_openmp});
  if constexpr (found_starpu)
    peers.push_back({"starpu",
                     "StarPU: starpu_task_submit, STARPU_RW, at most 4096 tasks submitted",
                     {"lws", "eager", "prio"},
                     run_starpu});
  if constexpr (found_tbb)
    peers.push_back(
        {"tbb", "oneTBB: one serial function_node per chain, no dependence analysis", {}, run_tbb});
  return peers;
}

std::map<std::string, std::string> missing_peers() {
  return missing_of({"openmp", "starpu", "tbb"});
}

}  // namespace plait::bench::task_overhead
