// SPDX-License-Identifier: BSD-3-Clause
/// Runs a task graph.  One implementation per source file.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "task_graph.hpp"

namespace plait::bench::metg {

class runner {
 public:
  virtual ~runner() = default;
  runner() = default;
  runner(const runner&) = delete;
  runner& operator=(const runner&) = delete;

  /// Runs every step, each task with so many iterations of the kernel, and returns when all of this
  /// rank's have run.
  virtual void run(long iterations) = 0;
};

struct runner_options {
  int workers = 1;
  progress policy = progress::automatic;
};

struct peer {
  std::string name;
  std::string about;        ///< one line: which calls
  bool one_rank = true;     ///< runs on one
  bool many_ranks = false;  ///< runs on several
  bool has_workers = true;  ///< else a rank is one core
  /// Threads are started, graphs recorded.  Collective.  The graph outlives the runner.
  std::function<std::unique_ptr<runner>(environment&, task_graph&, const runner_options&)> make;
};

/// The peers that were found when this was built, plait first.
[[nodiscard]] std::vector<peer> built_peers();
/// The names of those that were not, with what to install.
[[nodiscard]] std::map<std::string, std::string> missing_peers();

[[nodiscard]] peer plait_tasks();
[[nodiscard]] peer plait_replayed();
[[nodiscard]] peer openmp_tasks();
[[nodiscard]] peer starpu_tasks();
[[nodiscard]] peer plain_mpi();

}  // namespace plait::bench::metg
