// SPDX-License-Identifier: BSD-3-Clause
#include "result.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <plait/detail/build_info.hpp>
#include <plait/plait.hpp>

namespace plait::measure {
namespace {

json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

void write_file(const std::string& path, const std::string& text) {
  // The target of a link is replaced, not the link.  Devices and pipes are written to.
  std::error_code failed;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, failed);
  const bool replaced =
      !std::filesystem::exists(target) || std::filesystem::is_regular_file(target);
  std::filesystem::path written = target;
  if (replaced) written += ".partial";
  errno = 0;
  std::ofstream file(written);
  file << text;
  file.close();
  if (file && replaced) std::filesystem::rename(written, target, failed);
  if (file && !failed) return;
  const std::string why = failed ? failed.message() : std::strerror(errno);
  if (replaced) std::filesystem::remove(written, failed);
  throw error(fmt::format("cannot write '{}': {}", path, why));
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
          {"wall_s", entry.wall_s},
          {"balance_error", entry.balance_error()}};
}

json to_json(const trace_summary& summary) {
  json path{{"total_s", summary.path_s}};
  for (const event_kind kind : {event_kind::compute, event_kind::message, event_kind::posting,
                                event_kind::exposed, event_kind::overhead, event_kind::idle}) {
    path[std::string(to_string(kind)) + "_s"] = summary.path_of(kind);
  }
  json top = json::array();
  for (const path_share& share : summary.top) {
    top.push_back(
        {{"name", share.name}, {"kind", to_string(share.kind)}, {"path_s", share.path_s}});
  }
  return {{"span_s", summary.span_s},
          {"path", path},
          {"top", top},
          {"overlapped_s", summary.overlapped_s},
          {"busy_s", summary.busy_s},
          {"busiest_rank", summary.busiest_rank},
          {"wire_s", to_json(summary.wire_s)},
          {"limit", summary.limit}};
}

json to_json(const std::optional<double>& value) {
  return value ? number(*value) : json(nullptr);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

json describe_environment(const environment& env) {
  return {{"version", detail::build_version},
          {"commit", detail::build_commit},
          {"compiler", detail::build_compiler},
          {"flags", detail::build_flags},
          {"mpi", detail::build_mpi},
          {"mpi_version", env.mpi_version()},
          {"transport_settings", env.transport_settings()},
          {"ranks", env.size()},
          {"hosts", env.hosts()},
          {"started_at", utc_now()}};
}

breakdown mean_of(const std::vector<ledger_entry>& entries) {
  breakdown result;
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(entries.size(), 1));
  for (const ledger_entry& entry : entries) {
    result.compute_s += share * entry.compute_s;
    result.posting_s += share * entry.posting_s;
    result.exposed_s += share * entry.exposed_s;
    result.overhead_s += share * entry.overhead_s;
    result.idle_s += share * entry.idle_s;
  }
  return result;
}

json timeline_of(std::vector<trace_event> events, double origin_s) {
  std::ranges::stable_sort(events, {}, &trace_event::begin_s);
  std::ranges::stable_sort(events, {}, &trace_event::rank);
  const auto us = [&](double at_s) { return std::round(1e7 * (at_s - origin_s)) / 10; };
  json result = json::array();
  for (const trace_event& e : events) {
    result.push_back({{"rank", e.rank},
                      {"lane", e.lane},
                      {"name", e.name},
                      {"kind", to_string(e.kind)},
                      {"start_us", us(e.begin_s)},
                      {"end_us", us(e.end_s)}});
    if (e.message.has_value()) result.back()["sent"] = e.message->sent;
    if (e.critical) result.back()["critical"] = true;
  }
  return result;
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
  write_file(path, text.str());
}

void write_result(const std::string& path, const json& result) {
  const std::string text = result.dump(1) + "\n";
  if (path == "-") {
    std::cout << text << std::flush;
  } else {
    write_file(path, text);
  }
}

}  // namespace plait::measure
