// SPDX-License-Identifier: BSD-3-Clause
#include "measured_rows.hpp"

#include <cstdio>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <plait/detail/build_info.hpp>
#include <plait/plait.hpp>
#include <unistd.h>

#include "measure/command_line.hpp"
#include "measure/result.hpp"

namespace plait::bench {
namespace {

void report_progress(std::size_t done, std::size_t total, const std::string& label) {
  const json line{{"done", done}, {"total", total}, {"label", label}};
  std::fprintf(stderr, "@progress %s\n", line.dump().c_str());
  std::fflush(stderr);
}

std::string label_of(const measurement& each, int round, int repeat) {
  return round < 0 ? fmt::format("{} {} warm-up", each.row, each.column)
                   : fmt::format("{} {} {}/{}", each.row, each.column, round + 1, repeat);
}

std::string host_name() {
  char text[256] = {};
  gethostname(text, sizeof text - 1);
  return text;
}

}  // namespace

json measure_interleaved(const std::vector<measurement>& measurements,
                         const repetition_options& options) {
  std::vector<json> samples(measurements.size(), json::object());
  const int first = options.warm_up ? -1 : 0;
  const std::size_t total = measurements.size() * static_cast<std::size_t>(options.repeat - first);
  std::size_t done = 0;
  for (int round = first; round < options.repeat; ++round) {
    for (std::size_t i = 0; i < measurements.size(); ++i) {
      const measurement& each = measurements[i];
      if (options.progress) report_progress(done, total, label_of(each, round, options.repeat));
      const json figures = each.repeat_once();
      ++done;
      if (round < 0) continue;
      for (const auto& [figure, value] : figures.items()) samples[i][figure].push_back(value);
    }
  }
  if (options.progress) report_progress(done, total, "done");

  json rows = json::object();
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    json& cell = rows[measurements[i].row][measurements[i].column];
    cell = json::object();
    for (const auto& [figure, values] : samples[i].items())
      cell[figure] = measure::to_json(measure::summarize(values.get<std::vector<double>>()));
    cell.update(measurements[i].remarks);
  }
  return rows;
}

json bench_result(const std::string& bench, json parameters, json environment, json rows) {
  json all{{"commit", detail::build_commit},  {"compiler", detail::build_compiler},
           {"flags", detail::build_flags},    {"mpi", detail::build_mpi},
           {"hosts", {host_name()}},          {"cores", std::thread::hardware_concurrency()},
           {"started_at", measure::utc_now()}};
  all.update(environment);
  return {{"schema", "plait-result/1"},
          {"kind", "benchmark"},
          {"bench", bench},
          {"parameters", std::move(parameters)},
          {"environment", std::move(all)},
          {"rows", std::move(rows)}};
}

void check_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  if (!measure::can_be_written(path)) throw usage_error("--json: '" + path + "' cannot be written");
}

}  // namespace plait::bench
