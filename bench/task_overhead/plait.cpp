// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <vector>

#include <plait/plait.hpp>

#include "peer.hpp"

namespace plait::bench {
namespace {

double peak_tasks = 0;

void nothing(chain_object&) {}

double seconds_of(scheduler& tasks, std::vector<chain_object>& objects, long count) {
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i)
    tasks.task("nothing", nothing, inout(objects[static_cast<std::size_t>(i) % objects.size()]));
  tasks.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double run_plait(const load& what) {
  std::vector<chain_object> objects(static_cast<std::size_t>(what.chains));
  scheduler tasks({.workers = what.workers});
  seconds_of(tasks, objects, what.tasks / 10);
  const double seconds = seconds_of(tasks, objects, what.tasks);
  peak_tasks = static_cast<double>(tasks.peak_tasks());
  return seconds;
}

std::map<std::string, double> plait_figures() {
  return {{"peak_tasks_in_flight", peak_tasks},
          {"bytes_per_task", static_cast<double>(scheduler::bytes_per_task())}};
}

}  // namespace plait::bench
