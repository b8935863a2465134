// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of one empty task, dependence included, beside the task systems that a user
// would pick instead: 64 independent chains, made by one thread, 1 and 2 workers.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <plait/plait.hpp>
#include <sys/resource.h>

#include "measure/base/child_process.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/result.hpp"
#include "measure/rows/measured_rows.hpp"
#include "peer.hpp"

namespace plait::bench::task_overhead {
namespace {

struct options {
  load work;
  std::vector<int> workers{1, 2};
  std::vector<std::string> only;
  std::string json_path;
  std::string raw;  // a child: measure this peer and print its figures
  measure::repetition_options repetition;
};

const peer& find_peer(const std::vector<peer>& peers, const std::string& name) {
  for (const peer& each : peers) {
    if (each.name == name) return each;
  }
  const auto missing = missing_peers();
  if (const auto found = missing.find(name); found != missing.end())
    throw usage_error("--only: '" + name + "' was not found when this was built; install " +
                      found->second);
  throw usage_error("--only: there is no '" + name +
                    "'; there are plait, plait replayed, openmp, starpu and tbb");
}

void check(const options& given) {
  if (given.work.tasks < 10) throw usage_error("--tasks must be at least 10");
  if (given.work.chains < 1) throw usage_error("--chains must be at least 1");
  if (given.repetition.repeat < 1) throw usage_error("--repeat must be at least 1");
  for (int workers : given.workers) {
    if (workers < 1) throw usage_error("--workers must be at least 1");
  }
  measure::check_writable("--json", given.json_path);
}

long max_resident_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// One repetition of one peer, in this process.
int measure_here(const options& given) {
  const std::vector<peer> peers = built_peers();
  const peer& chosen = find_peer(peers, given.raw);
  const long before_kib = max_resident_kib();
  const double seconds = chosen.run(given.work);
  measure::json figures{{"ns_per_task", seconds / static_cast<double>(given.work.tasks) * 1e9},
                        {"memory_growth_kib", max_resident_kib() - before_kib}};
  if (chosen.figures != nullptr) {
    for (const auto& [name, value] : chosen.figures()) figures[name] = value;
  }
  std::cout << figures.dump() << '\n';
  return 0;
}

measure::json measure_in_child(const peer& who, const load& what) {
  const std::string output =
      measure::run_self({"--raw", who.name, "--tasks", std::to_string(what.tasks), "--chains",
                         std::to_string(what.chains), "--workers", std::to_string(what.workers),
                         "--setting", what.setting});
  return measure::json::parse(output);
}

// The best of a peer's settings by two short runs of each.
std::string best_setting(const peer& who, load what) {
  if (who.settings.size() < 2) return who.settings.empty() ? "" : who.settings.front();
  what.tasks = std::max(10L, what.tasks / 10);
  std::string best;
  double least = 0;
  for (int round = 0; round < 2; ++round) {
    for (const std::string& setting : who.settings) {
      what.setting = setting;
      const double ns = measure_in_child(who, what).at("ns_per_task").get<double>();
      if (best.empty() || ns < least) {
        best = setting;
        least = ns;
      }
    }
  }
  return best;
}

std::vector<measure::measurement> plan(const options& given, const std::vector<peer>& peers) {
  std::vector<measure::measurement> result;
  for (const peer& who : peers) {
    for (int workers : given.workers) {
      load what = given.work;
      what.workers = workers;
      what.setting = best_setting(who, what);
      measure::measurement one{who.name, "workers_" + std::to_string(workers),
                               [who, what] { return measure_in_child(who, what); }};
      if (!what.setting.empty()) one.remarks["setting"] = what.setting;
      result.push_back(std::move(one));
    }
  }
  return result;
}

void print_table(const measure::json& rows, const std::vector<peer>& peers, const options& given) {
  std::printf(
      "Time per empty task with one inout, ns: median [quartiles] of %d; %ld tasks, %d chains\n\n",
      given.repetition.repeat, given.work.tasks, given.work.chains);
  std::printf("%-14s", "");
  for (int workers : given.workers)
    std::printf("  %-32s",
                (std::to_string(workers) + (workers == 1 ? " worker" : " workers")).c_str());
  std::printf("\n");
  for (const peer& who : peers) {
    std::printf("%-14s", who.name.c_str());
    for (int workers : given.workers) {
      const std::string column = "workers_" + std::to_string(workers);
      const measure::json& cell = rows.at(who.name).at(column);
      const measure::json& ns = cell.at("ns_per_task");
      char text[96];
      int used =
          std::snprintf(text, sizeof text, "%6.0f [%.0f, %.0f]", ns.at("median").get<double>(),
                        ns.at("q1").get<double>(), ns.at("q3").get<double>());
      if (rows.contains("plait") && who.name != "plait")
        used += std::snprintf(text + used, sizeof text - static_cast<std::size_t>(used), "  %.1fx",
                              ns.at("median").get<double>() /
                                  rows["plait"][column]["ns_per_task"]["median"].get<double>());
      if (cell.contains("setting"))
        std::snprintf(text + used, sizeof text - static_cast<std::size_t>(used), " (%s)",
                      cell["setting"].get<std::string>().c_str());
      std::printf("  %-32s", text);
    }
    std::printf("\n");
  }
  std::printf("\n");
  for (const peer& who : peers) std::printf("%-14s  %s\n", who.name.c_str(), who.about.c_str());
  for (const auto& [name, package] : missing_peers())
    std::printf("%-14s  not built; install %s\n", name.c_str(), package.c_str());
}

int measure_all(const options& given) {
  std::vector<peer> peers = built_peers();
  if (!given.only.empty()) {
    std::vector<peer> chosen;
    for (const std::string& name : given.only) chosen.push_back(find_peer(peers, name));
    peers = std::move(chosen);
  }
  const measure::json rows = measure::measure_interleaved(plan(given, peers), given.repetition);

  measure::json about = measure::json::object();
  for (const peer& who : peers) about[who.name] = who.about;
  const measure::json parameters{{"tasks", given.work.tasks},
                                 {"chains", given.work.chains},
                                 {"workers", given.workers},
                                 {"repeat", given.repetition.repeat}};
  const measure::json environment{{"peers", about}, {"peers_not_built", missing_peers()}};
  if (!given.json_path.empty())
    measure::write_result(given.json_path,
                          measure::bench_result("task_overhead", parameters, environment, rows));
  if (given.json_path != "-") print_table(rows, peers, given);
  return 0;
}

int run(int argc, char** argv) {
  options given;
  measure::command_line command("Nanoseconds per empty task, beside other task systems",
                                "task_overhead");
  command.option("--tasks", given.work.tasks, "tasks per repetition");
  command.option("--chains", given.work.chains, "independent chains");
  command.option("--workers", given.workers, "worker counts, as in 1,2");
  command.option("--repeat", given.repetition.repeat, "repetitions");
  command.option("--only", given.only, "task systems, as in plait,openmp");
  command.option("--json", given.json_path, "result file; - is standard output");
  command.flag("--progress", given.repetition.progress, "@progress lines on standard error");
  command.hidden_option("--raw", given.raw);
  command.hidden_option("--setting", given.work.setting);
  if (!command.parse(argc, argv, true)) return measure::exit_verified;
  check(given);
  if (given.raw.empty()) return measure_all(given);
  given.work.workers = given.workers.front();
  return measure_here(given);
}

}  // namespace
}  // namespace plait::bench::task_overhead

int main(int argc, char** argv) {
  try {
    return plait::bench::task_overhead::run(argc, argv);
  } catch (const plait::usage_error& wrong) {
    std::fprintf(stderr, "task_overhead: %s\n", wrong.what());
    return 2;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "task_overhead: %s\n", failure.what());
    return 1;
  }
}
