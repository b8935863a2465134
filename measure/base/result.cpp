// SPDX-License-Identifier: BSD-3-Clause
#include "result.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include <plait/plait.hpp>

namespace plait::measure {
namespace {

json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

}  // namespace

json to_json(const summary& values) {
  json samples = json::array();
  for (const double value : values.samples) samples.push_back(number(value));
  return {{"median", number(values.median)},
          {"q1", number(values.q1)},
          {"q3", number(values.q3)},
          {"samples", samples}};
}

json to_json(const ledger_entry& entry, int rank) {
  return {{"rank", rank},
          {"worker", entry.worker},
          {"compute_s", entry.compute_s},
          {"posting_s", entry.posting_s},
          {"exposed_s", entry.exposed_s},
          {"overhead_s", entry.overhead_s},
          {"idle_s", entry.idle_s},
          {"held_s", entry.held_s},
          {"wall_s", entry.wall_s},
          {"balance_error", entry.balance_error()}};
}

json to_json(const trace_summary& summary) {
  return json::parse(trace_summary_json(summary));
}

json to_json(const std::optional<double>& value) {
  return value ? number(*value) : json(nullptr);
}

json describe_environment(const environment& env) {
  return json::parse(environment_json({.mpi_version = env.mpi_version(),
                                       .transport_settings = env.transport_settings(),
                                       .ranks = env.size(),
                                       .hosts = env.hosts()}));
}

json new_result(std::string_view kind, std::string_view member, std::string_view program,
                json parameters, json environment) {
  json result = json::parse(result_head(kind, member, program));
  result["parameters"] = std::move(parameters);
  result["environment"] = std::move(environment);
  return result;
}

breakdown mean_of(const std::vector<ledger_entry>& entries) {
  breakdown result;
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(entries.size(), 1));
  for (const ledger_entry& entry : entries) {
    result.compute_s += share * entry.compute_s;
    result.posting_s += share * entry.posting_s;
    result.exposed_s += share * entry.exposed_s;
    result.overhead_s += share * entry.overhead_s;
    result.idle_s += share * (entry.idle_s + entry.held_s);
  }
  return result;
}

json timeline_of(const std::vector<trace_event>& events, double origin_s) {
  std::vector<const trace_event*> all;
  for (const trace_event& e : events) all.push_back(&e);
  return json::parse(timeline_json(std::move(all), origin_s));
}

traced_run traced(std::string name, std::vector<trace_event> events) {
  traced_run run{std::move(name), std::move(events), {}};
  run.path = critical_path(run.events);
  mark_critical(run.events, run.path);
  return run;
}

void write_trace(const std::string& path, std::span<const traced_run> runs) {
  std::ostringstream text;
  write_chrome_trace(text, runs);
  write_text_file(path, text.str());
}

void write_result(const std::string& path, const json& result) {
  write_text_file(path, result.dump(1) + "\n");
}

}  // namespace plait::measure
