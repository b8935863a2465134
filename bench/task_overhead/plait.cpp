// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <plait/plait.hpp>

#include "peer.hpp"

namespace plait::bench::task_overhead {
namespace {

constexpr std::size_t in_flight_limit = 4096;

double peak_tasks = 0;

void nothing(chain_object&) {}

void submit(scheduler& tasks, std::vector<chain_object>& objects, long count) {
  for (long i = 0; i < count; ++i)
    tasks.task("nothing", nothing, inout(objects[static_cast<std::size_t>(i) % objects.size()]));
}

double seconds_of(scheduler& tasks, std::vector<chain_object>& objects, long count) {
  const auto start = std::chrono::steady_clock::now();
  submit(tasks, objects, count);
  tasks.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double seconds_of(scheduler& tasks, graph& recorded, std::uint64_t iterations) {
  const auto start = std::chrono::steady_clock::now();
  tasks.replay(recorded, iterations);
  tasks.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double run_plait(const load& what) {
  std::vector<chain_object> objects(static_cast<std::size_t>(what.chains));
  scheduler tasks({.workers = what.workers, .in_flight = in_flight_limit});
  seconds_of(tasks, objects, what.tasks / 10);
  const double seconds = seconds_of(tasks, objects, what.tasks);
  peak_tasks = static_cast<double>(tasks.peak_tasks());
  return seconds;
}

double run_plait_replayed(const load& what) {
  std::vector<chain_object> objects(static_cast<std::size_t>(what.chains));
  // A graph must fit into the in-flight limit.
  const std::size_t links = std::clamp<std::size_t>(in_flight_limit / objects.size(), 1, 16);
  const auto one = static_cast<long>(links * objects.size());
  scheduler tasks(
      {.workers = what.workers, .in_flight = std::max(in_flight_limit, objects.size())});
  graph recorded = tasks.record([&] { submit(tasks, objects, one); });
  const long iterations = (what.tasks + one - 1) / one;
  seconds_of(tasks, recorded, static_cast<std::uint64_t>(std::max(1L, iterations / 10)));
  const double seconds = seconds_of(tasks, recorded, static_cast<std::uint64_t>(iterations));
  peak_tasks = static_cast<double>(tasks.peak_tasks());
  // Whole iterations were run; the answer is for the tasks asked for.
  return seconds * static_cast<double>(what.tasks) / static_cast<double>(iterations * one);
}

std::map<std::string, double> plait_figures() {
  return {{"peak_tasks_in_flight", peak_tasks},
          {"bytes_per_task", static_cast<double>(scheduler::bytes_per_task())}};
}

}  // namespace plait::bench::task_overhead
