// SPDX-License-Identifier: BSD-3-Clause
#include "contestants.hpp"

namespace plait::bench::progress_sweep {

std::vector<step_contestant> all_contestants() {
  std::vector<step_contestant> all{blocking(), by_hand()};
  for (const progress policy : {progress::automatic, progress::dedicated, progress::sleeping,
                                progress::workers, progress::none})
    all.push_back(plait_tasks(policy));
  for (const double interval_s : {50e-6, 200e-6, 750e-6, 1.5e-3, 3e-3, 6e-3})
    all.push_back(plait_every(interval_s));
  all.push_back(plait_submitted());
  return all;
}

}  // namespace plait::bench::progress_sweep
