// SPDX-License-Identifier: BSD-3-Clause
/// Describes what is asked of every task system in this benchmark: empty tasks in independent
/// chains, made by one thread.  One implementation per source file.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace plait::bench::task_overhead {

struct load {
  long tasks = 1'000'000;
  int chains = 64;  ///< task i has one `inout`, on the object of chain i % chains
  int workers = 1;
  std::string setting;  ///< one of the peer's settings; empty when it has none
};

struct peer {
  std::string name;
  std::string about;  ///< one line: which library, how its tasks are made
  /// Settings worth trying; the best in a short pilot run is measured, and named in the result.
  std::vector<std::string> settings;
  /// Seconds from the first submission until all tasks have run, threads started and one tenth of
  /// the tasks run before.  Called once in a process.
  double (*run)(const load&);
  /// After `run`: what else this peer knows of itself, unit in the name.  May be null.
  std::map<std::string, double> (*figures)() = nullptr;
};

/// The peers that were found when this was built, plait first.
[[nodiscard]] std::vector<peer> built_peers();
/// The names of those that were not, with what to install.
[[nodiscard]] std::map<std::string, std::string> missing_peers();

double run_plait(const load&);
double run_plait_replayed(const load&);
std::map<std::string, double> plait_figures();
double run_openmp(const load&);
double run_starpu(const load&);
double run_tbb(const load&);

/// An object of a chain, alone on its cache line.
struct alignas(64) chain_object {
  long value = 0;
};

}  // namespace plait::bench::task_overhead
