// SPDX-License-Identifier: BSD-3-Clause
// Measures METG(50 %) of Task Bench's patterns, the shortest tasks with an efficiency of 50 %: in
// one process beside OpenMP's tasks, in several, with messages, beside hand-written MPI.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/gather.hpp"
#include "measure/base/named.hpp"
#include "measure/rows/measured_rows.hpp"
#include "runner.hpp"
#include "sweep.hpp"
#include "task_graph.hpp"

namespace plait::bench::metg {
namespace {

struct options {
  std::string patterns = fmt::format("{}", fmt::join(pattern::names, ","));
  std::string only;
  std::string policy = "auto";
  std::int64_t width = 16;
  std::int64_t steps = 200;
  std::int64_t workers = 0;
  double longest_us = 2000;
  measure::row_options rows;
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("Smallest tasks that keep the cores half busy, METG(50 %)", "metg");
  command.option("--patterns", given.patterns, "Dependence patterns");
  command.option("--only", given.only,
                 "Any of plait, plait replayed, openmp and starpu (one rank), mpi (several)");
  command.option("--policy", given.policy, "Progress: auto, dedicated, sleeping, workers, none");
  command.option("--width", given.width, "Points of a step, over all ranks");
  command.option("--steps", given.steps, "Steps of a run");
  command.option("--workers", given.workers, "Workers of a rank; 0 = 2 on one rank, 1 on several");
  command.option("--longest-us", given.longest_us, "Give up where tasks must be longer");
  measure::add_row_options(command, given.rows, "Sweeps, interleaved");
  return command.parse(argc, argv, env);
}

void check(options& given, environment& env) {
  measure::check_range("--width", given.width, 1, 4096);
  measure::check_range("--steps", given.steps, 1, 1'000'000);
  measure::check_range("--workers", given.workers, 0, 1024);
  measure::check_positive("--longest-us", given.longest_us, 1'000'000);
  if (given.width < env.size())
    throw usage_error(fmt::format("--width is {}; {} ranks need at least as many points",
                                  given.width, env.size()));
  (void)measure::parse_progress("--policy", given.policy);
  measure::check(env, given.rows);
  if (given.workers == 0) given.workers = env.size() == 1 ? 2 : 1;
}

std::vector<peer> chosen(const std::string& only, int ranks) {
  std::vector<peer> suitable = built_peers();
  std::erase_if(suitable,
                [&](const peer& one) { return !(ranks == 1 ? one.one_rank : one.many_ranks); });
  return measure::chosen("--only", only, suitable);
}

/// Holds what all sweeps of a session share.
struct session {
  environment& env;
  runner_options of_runners;
  double longest_s = 0;
  double iteration_s = 0;  ///< of the kernel alone, as last measured
};

// The mean over ranks, all of which measure at once.
double kernel_alone_s(environment& env) {
  constexpr long iterations = 2'000'000;
  env.barrier();
  const ticks start = now_ticks();
  volatile double result = kernel(iterations, 1.0);
  (void)result;
  return measure::sum(env, ticks_to_seconds(now_ticks() - start)) / env.size() / iterations;
}

sweep_point run_once(const session& s, const peer& who, runner& running, task_graph& graph,
                     long iterations) {
  graph.reset();
  s.env.barrier();
  const ticks start = now_ticks();
  running.run(iterations);
  const double elapsed_s = measure::maximum(s.env, ticks_to_seconds(now_ticks() - start));
  graph.verify();
  const int cores = s.env.size() * (who.has_workers ? s.of_runners.workers : 1);
  const double task_s = elapsed_s * cores / static_cast<double>(graph.tasks());
  return {task_s, static_cast<double>(iterations) * s.iteration_s / task_s};
}

// A figure is left out where efficiency stays below one half.
measure::json sweep_once(const session& s, const peer& who, task_graph& graph) {
  constexpr double first_task_s = 16e-6;
  const std::unique_ptr<runner> running = who.make(s.env, graph, s.of_runners);
  const auto run = [&](long iterations) { return run_once(s, who, *running, graph, iterations); };
  const long start = std::max(1L, static_cast<long>(first_task_s / s.iteration_s));
  (void)run(start);
  measure::json figures = measure::json::object();
  if (const auto found = metg_s(run, start, s.longest_s)) figures["metg_us"] = 1e6 * *found;
  return figures;
}

std::string column_of(const std::string& pattern_name, int ranks) {
  return pattern_name + (ranks == 1 ? " 1 process" : fmt::format(" {} processes", ranks));
}

std::vector<measure::measurement> plan(session& s, const options& given,
                                       const std::vector<peer>& peers,
                                       std::vector<std::unique_ptr<task_graph>>& graphs) {
  std::vector<measure::measurement> result;
  result.push_back({"kernel", "alone", [&s] {
                      s.iteration_s = kernel_alone_s(s.env);
                      return measure::json{{"ns_per_iteration", 1e9 * s.iteration_s}};
                    }});
  for (const std::string& name :
       measure::parse_names("--patterns", given.patterns, pattern::names)) {
    graphs.push_back(std::make_unique<task_graph>(pattern(name, given.width), given.steps,
                                                  s.env.rank(), s.env.size()));
    task_graph& graph = *graphs.back();
    for (const peer& who : peers)
      result.push_back({who.name,
                        column_of(name, s.env.size()),
                        [&s, who, &graph] { return sweep_once(s, who, graph); },
                        {{"tasks", graph.tasks()}}});
  }
  return result;
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  check(given, env);
  const std::vector<peer> peers = chosen(given.only, env.size());
  session s{env,
            {static_cast<int>(given.workers), measure::parse_progress("--policy", given.policy)},
            1e-6 * given.longest_us};
  std::vector<std::unique_ptr<task_graph>> graphs;
  measure::json rows = measure::measure_interleaved(plan(s, given, peers, graphs),
                                                    measure::repetition_of(given.rows, env));
  const measure::json parameters{{"patterns", given.patterns},    {"width", given.width},
                                 {"steps", given.steps},          {"workers", given.workers},
                                 {"policy", given.policy},        {"repeat", given.rows.repeat},
                                 {"longest_us", given.longest_us}};
  measure::finish_rows(env, given.rows, "metg", parameters,
                       {{"peers", measure::about(peers)}, {"peers_not_built", missing_peers()}},
                       std::move(rows));
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::bench::metg

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "metg",
                                     [&] { return plait::bench::metg::run(env, argc, argv); });
}
