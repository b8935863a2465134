// SPDX-License-Identifier: BSD-3-Clause
#include "measured_rows.hpp"

#include <cstdio>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <plait/plait.hpp>
#include <unistd.h>

#include "measure/base/command_line.hpp"
#include "measure/base/result.hpp"

namespace plait::measure {
namespace {

std::string host_name() {
  char text[256] = {};
  gethostname(text, sizeof text - 1);
  return text;
}

}  // namespace

json measure_interleaved(const std::vector<measurement>& measurements,
                         const repetition_options& options) {
  std::vector<json> samples(measurements.size(), json::object());
  std::vector<turn> turns;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const measurement& each = measurements[i];
    turns.push_back({each.row + " " + each.column, [&each, &own = samples[i]](int round) {
                       const json figures = each.repeat_once();
                       if (round == warm_up) return;
                       for (const auto& [figure, value] : figures.items())
                         own[figure].push_back(value);
                     }});
  }
  take_turns(turns, options);

  json rows = json::object();
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    json& cell = rows[measurements[i].row][measurements[i].column];
    cell = json::object();
    for (const auto& [figure, all] : samples[i].items())
      cell[figure] = to_json(summarize(all.get<std::vector<double>>()));
    cell.update(measurements[i].remarks);
  }
  return rows;
}

json bench_result(const std::string& bench, json parameters, json environment, json rows) {
  json all = json::parse(environment_json({.hosts = {host_name()}}));
  all["cores"] = std::thread::hardware_concurrency();
  all.update(environment);
  json result = new_result("benchmark", "bench", bench, std::move(parameters), std::move(all));
  result["rows"] = std::move(rows);
  return result;
}

void add_row_options(command_line& to, row_options& options, const std::string& repeat_help) {
  to.option("--repeat", options.repeat, repeat_help);
  to.option("--json", options.json_file, "File for the result; - = standard output");
  to.flag("--progress", options.progress, "@progress lines on standard error");
}

void check(environment& env, const row_options& options) {
  check_range("--repeat", options.repeat, 1, 1000);
  check_writable(env, "--json", options.json_file);
}

repetition_options repetition_of(const row_options& options, const environment& env,
                                 bool warms_up) {
  return {.repeat = static_cast<int>(options.repeat),
          .progress = options.progress && env.rank() == 0,
          .warm_up = warms_up};
}

void finish_rows(const environment& env, const row_options& options, const std::string& bench,
                 json parameters, const json& where, json rows, const std::string& kind) {
  if (env.rank() != 0) return;
  if (options.json_file != "-") print_rows(rows);
  if (options.json_file.empty()) return;
  json all = describe_environment(env);
  all.update(where);
  json whole = bench_result(bench, std::move(parameters), std::move(all), std::move(rows));
  whole["kind"] = kind;
  write_result(options.json_file, whole);
}

void print_rows(const json& rows) {
  std::printf("%-24s %-32s %12s  %s\n", "case", "implementation", "median", "[q1, q3]");
  for (const auto& [row, columns] : rows.items()) {
    for (const auto& [column, figures] : columns.items()) {
      for (const auto& [figure, spread] : figures.items()) {
        if (!spread.is_object() || spread.at("median").is_null()) continue;
        const std::string which = column + " " + figure;
        std::printf("%-24s %-32s %12.5g  [%.4g, %.4g]\n", which.c_str(), row.c_str(),
                    spread.at("median").get<double>(), spread.at("q1").get<double>(),
                    spread.at("q3").get<double>());
      }
    }
  }
  std::fflush(stdout);
}

}  // namespace plait::measure
