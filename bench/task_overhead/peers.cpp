// SPDX-License-Identifier: BSD-3-Clause
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
#ifdef PLAIT_BENCH_OPENMP
  peers.push_back({"openmp", "GCC's OpenMP: task depend(inout), one producer", {}, run_openmp});
#endif
#ifdef PLAIT_BENCH_STARPU
  peers.push_back({"starpu",
                   "StarPU: starpu_task_submit, STARPU_RW, at most 4096 tasks submitted",
                   {"lws", "eager", "prio"},
                   run_starpu});
#endif
#ifdef PLAIT_BENCH_TBB
  peers.push_back(
      {"tbb", "oneTBB: one serial function_node per chain, no dependence analysis", {}, run_tbb});
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
#ifndef PLAIT_BENCH_TBB
  missing["tbb"] = "libtbb-dev";
#endif
  return missing;
}

}  // namespace plait::bench::task_overhead
