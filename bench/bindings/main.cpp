// SPDX-License-Identifier: BSD-3-Clause
// Measures what an empty task costs from C++, C, Fortran and Python, anew and replayed; two
// functions of Python on two workers; and on two ranks `plait.progress()` around an exchange.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "callers.hpp"
#include "measure/base/child_process.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/result.hpp"
#include "measure/base/size_list.hpp"
#include "measure/base/statistics.hpp"
#include "measure/rows/measured_rows.hpp"

namespace plait::bench::bindings {
namespace {

using measure::json;

struct options {
  load work;
  std::vector<int> workers{1, 2};
  std::vector<std::string> only;
  std::string size = "8MiB";
  std::string json_path;
  std::string raw;  // a child: measure C++ this way and print its figures
  measure::repetition_options repetition;
};

void check(const options& given) {
  measure::check_range("--tasks", given.work.tasks, 10, 100'000'000);
  measure::check_range("--chains", given.work.chains, 1, 256);
  measure::check_range("--repeat", given.repetition.repeat, 1, 1000);
  for (const int workers : given.workers) measure::check_range("--workers", workers, 1, 64);
  (void)measure::parse_one_size("--size", given.size, 1);
  measure::check_writable("--json", given.json_path);
}

/// Number of ranks of the job that this process is one of, as its launcher says; 1 without one.
int ranks_of_job() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* const value = std::getenv(name)) return std::atoi(value);
  }
  return 1;
}

std::vector<caller> chosen_callers(const options& given) {
  std::vector<caller> all = built_callers();
  std::vector<std::string_view> names;
  for (const caller& one : all) names.push_back(one.name);
  for (const std::string& name : given.only) (void)measure::parse_name("--only", name, names);
  if (!given.only.empty())
    std::erase_if(all, [&](const caller& one) {
      return std::ranges::find(given.only, one.name) == given.only.end();
    });
  return all;
}

// What it costs -----------------------------------------------------------------------------------

json measure_in_child(const caller& who, const load& what) {
  if (who.program.empty())
    return json::parse(measure::run_self({"--raw", who.how, "--tasks", std::to_string(what.tasks),
                                          "--chains", std::to_string(what.chains), "--workers",
                                          std::to_string(what.workers)}));
  std::vector<std::string> words(who.program.begin() + 1, who.program.end());
  for (const std::string& word : {who.how, std::to_string(what.tasks), std::to_string(what.chains),
                                  std::to_string(what.workers)})
    words.push_back(word);
  return json::parse(measure::run_program(who.program.front(), words));
}

std::vector<measure::measurement> plan(const options& given, const std::vector<caller>& callers) {
  std::vector<measure::measurement> result;
  const auto add = [&](const caller& who, const std::string& column, int workers) {
    load what = given.work;
    what.workers = workers;
    result.push_back({who.name, column, [who, what] { return measure_in_child(who, what); }});
  };
  for (const int workers : given.workers)
    for (const caller& who : callers) add(who, "workers_" + std::to_string(workers), workers);
  for (const caller& who : built_pairs()) {
    if (given.only.empty() || std::ranges::find(given.only, who.name) != given.only.end())
      add(who, "two_tasks", 2);
  }
  return result;
}

/// Median of the differences of two rows, round by round.
double median_difference(const json& row, const json& other) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < row.at("samples").size(); ++i)
    differences.push_back(row["samples"][i].get<double>() - other.at("samples")[i].get<double>());
  return measure::summarize(differences).median;
}

std::string cell_text(const json& rows, const caller& who, const std::string& column,
                      const char* figure) {
  const json& found = rows.at(who.name).at(column).at(figure);
  std::string text = fmt::format("{:5.0f} [{:.0f}, {:.0f}]", found.at("median").get<double>(),
                                 found.at("q1").get<double>(), found.at("q3").get<double>());
  if (who.beside.empty() || !rows.contains(who.beside)) return text;
  return fmt::format("{:<20} {:+.0f}", text,
                     median_difference(found, rows[who.beside][column][figure]));
}

void print_table(const json& rows, const std::vector<caller>& callers, const options& given) {
  std::printf("Time per empty task, ns: median [quartiles] of %d, %ld tasks, %d chains;\n",
              given.repetition.repeat, static_cast<long>(given.work.tasks), given.work.chains);
  std::printf("then the median difference to the row named below, round by round.\n");
  for (const int workers : given.workers) {
    const std::string column = "workers_" + std::to_string(workers);
    fmt::print("\n{:<19} {:<28}  {}\n",
               std::to_string(workers) + (workers == 1 ? " worker" : " workers"), "anew",
               "replayed");
    for (const caller& who : callers)
      fmt::print("{:<19} {:<28} {}\n", who.name, cell_text(rows, who, column, "ns_per_task"),
                 cell_text(rows, who, column, "ns_per_replayed_task"));
  }
  fmt::print("\n");
  for (const caller& who : callers)
    fmt::print("{:<19} {}{}\n", who.name, who.about,
               who.beside.empty() ? "" : "; beside " + who.beside);
  bool first = true;
  for (const auto& [name, columns] : rows.items()) {
    if (!columns.contains("two_tasks")) continue;
    if (first) std::printf("\nTwo equal tasks on two workers, time over that on one worker\n");
    first = false;
    const json& ratio = columns["two_tasks"]["of_one_worker"];
    std::printf("%-19s  %.2f [%.2f, %.2f]\n", name.c_str(), ratio["median"].get<double>(),
                ratio["q1"].get<double>(), ratio["q3"].get<double>());
  }
  for (const auto& [name, package] : missing_languages())
    std::printf("\n%s was not built; install %s\n", name.c_str(), package.c_str());
}

int measure_tasks(const options& given) {
  const std::vector<caller> callers = chosen_callers(given);
  const json rows = measure::measure_interleaved(plan(given, callers), given.repetition);
  json about = json::object();
  for (const caller& who : callers) about[who.name] = who.about;
  const json parameters{{"tasks", given.work.tasks},
                        {"chains", given.work.chains},
                        {"workers", given.workers},
                        {"repeat", given.repetition.repeat}};
  const json environment{{"peers", about}, {"peers_not_built", missing_languages()}};
  if (!given.json_path.empty())
    measure::write_result(given.json_path,
                          measure::bench_result("bindings", parameters, environment, rows));
  if (given.json_path != "-") print_table(rows, callers, given);
  return 0;
}

// The exchange ------------------------------------------------------------------------------------

json rows_of_exchange(const json& found, const std::string& column) {
  const json& alone = found.at("exchange alone");
  json rows = json::object();
  for (const auto& [name, samples] : found.items()) {
    json& cell = rows[name][column];
    cell["total_ms"] = measure::to_json(measure::summarize(samples.get<std::vector<double>>()));
    std::vector<double> ratios;
    for (std::size_t i = 0; i < samples.size(); ++i)
      ratios.push_back(samples[i].get<double>() / alone[i].get<double>());
    cell["of_exchange_alone"] = measure::to_json(measure::summarize(ratios));
  }
  return rows;
}

/// On two ranks, each of which has one of Python as its child: rank 0's has the times.
int measure_exchange(const options& given, int ranks) {
  if (ranks != 2) throw usage_error("bindings runs as one process, or on 2 ranks");
  std::vector<std::string> words = exchange_program();
  if (words.empty()) throw error("Python was not found when this was built; install python3-dev");
  const std::string program = words.front();
  words.erase(words.begin());
  const std::size_t bytes = measure::parse_one_size("--size", given.size, 1);
  words.push_back(std::to_string(bytes));
  words.push_back(std::to_string(given.repetition.repeat));
  const std::string output = measure::run_program(program, words, true);
  if (output.empty()) return 0;  // another rank
  const json rows = rows_of_exchange(json::parse(output), measure::size_label(bytes));
  const json parameters{{"size", given.size}, {"repeat", given.repetition.repeat}};
  if (!given.json_path.empty())
    measure::write_result(given.json_path,
                          measure::bench_result("bindings", parameters, {{"ranks", ranks}}, rows));
  if (given.json_path != "-") measure::print_rows(rows);
  return 0;
}

int run(int argc, char** argv) {
  options given;
  measure::command_line command(
      "Nanoseconds per empty task from C++, C, Fortran and Python; on two ranks, plait.progress() "
      "around an exchange",
      "bindings");
  command.option("--tasks", given.work.tasks, "tasks per repetition");
  command.option("--chains", given.work.chains, "independent chains");
  command.option("--workers", given.workers, "worker counts, as in 1,2");
  command.option("--only", given.only, "callers, as in c++,c");
  command.option("--size", given.size, "on two ranks: bytes of the message each way");
  command.option("--repeat", given.repetition.repeat, "repetitions");
  command.option("--json", given.json_path, "result file; - is standard output");
  command.flag("--progress", given.repetition.progress, "@progress lines on standard error");
  command.hidden_option("--raw", given.raw);
  if (!command.parse(argc, argv, true)) return measure::exit_verified;
  check(given);
  if (given.raw.empty()) {
    const int ranks = ranks_of_job();
    return ranks > 1 ? measure_exchange(given, ranks) : measure_tasks(given);
  }
  given.work.workers = given.workers.front();
  std::cout << run_cpp(given.raw, given.work).dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace plait::bench::bindings

int main(int argc, char** argv) {
  try {
    return plait::bench::bindings::run(argc, argv);
  } catch (const plait::usage_error& wrong) {
    std::fprintf(stderr, "bindings: %s\n", wrong.what());
    return 2;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bindings: %s\n", failure.what());
    return 1;
  }
}
