// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <vector>

#include "peer.hpp"

namespace plait::bench::task_overhead {
namespace {

// One thread of the team makes the tasks; all run them.  GCC takes an object that is named in
// depend() alone for unused.
double seconds_of([[maybe_unused]] chain_object* objects, [[maybe_unused]] int chains, long count) {
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i) {
#pragma omp task depend(inout : objects[i % chains]) default(none)
    {}
  }
#pragma omp taskwait
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double run_openmp(const load& what) {
  std::vector<chain_object> storage(static_cast<std::size_t>(what.chains));
  chain_object* objects = storage.data();
  double seconds = 0;
#pragma omp parallel num_threads(what.workers)
#pragma omp single
  {
    seconds_of(objects, what.chains, what.tasks / 10);
    seconds = seconds_of(objects, what.chains, what.tasks);
  }
  return seconds;
}

}  // namespace plait::bench::task_overhead
