// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/written/program_result.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <plait/trace/result_parts.hpp>
#include <plait/trace/summary.hpp>

#include "runtime/written/ledger_table.hpp"
#include "trace/json_text.hpp"

namespace plait {
namespace {

[[nodiscard]] std::string parts_text(const ledger_entry& of) {
  return fmt::format(
      "\"compute_s\": {:.9f}, \"posting_s\": {:.9f}, \"exposed_s\": {:.9f}, \"overhead_s\": "
      "{:.9f}, \"idle_s\": {:.9f}, \"held_s\": {:.9f}, \"wall_s\": {:.9f}",
      of.compute_s, of.posting_s, of.exposed_s, of.overhead_s, of.idle_s, of.held_s, of.wall_s);
}

[[nodiscard]] std::string ledger_text(const std::vector<ledger>& ranks) {
  std::vector<std::string> rows;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const ledger_entry& one : ranks[rank]) {
      rows.push_back(fmt::format("{{\"rank\": {}, \"worker\": {}, {}, \"balance_error\": {:.6f}}}",
                                 rank, one.worker, parts_text(one), one.balance_error()));
    }
  }
  return json_list(rows, [](const std::string& row) { return row; });
}

[[nodiscard]] std::string ranks_text(const std::vector<ledger_entry>& means) {
  return json_list(means,
                   [](const ledger_entry& one) { return fmt::format("{{{}}}", parts_text(one)); });
}

[[nodiscard]] std::string environment_text(const program_record& record) {
  json_object all(environment_json({.is_library_only = true,
                                    .mpi_version = record.mpi_version,
                                    .transport_settings = record.transport_settings,
                                    .ranks = record.ranks(),
                                    .hosts = record.hosts,
                                    .started_at = record.started_at}));
  all.add("workers", std::to_string(record.workers))
      .add("policy_chosen", json_text(record.policy))
      .add("policy_reason", json_text(record.policy_reason));
  if (record.windows) {
    all.add("windows", json_text(to_string(record.windows->what)))
        .add("windows_reason", json_text(record.windows->reason));
  }
  return all.add("link_rate_Bps", "null").text();
}

[[nodiscard]] std::string summaries_text(const std::vector<traced_run>& runs) {
  json_object all;
  for (const traced_run& run : runs) {
    all.add(run.name, trace_summary_json(summarize_trace(run.events, run.path)));
  }
  return all.text();
}

}  // namespace

std::string program_result(const program_record& record, std::size_t most_events) {
  double wall_s = 0;
  for (const ledger_entry& one : record.means) wall_s = std::max(wall_s, one.wall_s);
  const timeline_stretch stretch = middle_of(record.runs, most_events);
  const bool is_whole = stretch.is_whole && record.dropped_events == 0;
  return json_object(result_head("program", "application", record.program))
             .add("ranks", std::to_string(record.ranks()))
             .add("parameters", fmt::format("{{\"runtimes\": {}}}", record.runtimes))
             .add("environment", environment_text(record))
             .add("wall_s", fmt::format("{:.9f}", wall_s))
             .add("mean", fmt::format("{{{}}}", parts_text(mean_of(record.means))))
             .add("meaning", json_text(meaning_of(record.means)))
             .add("ledger", ledger_text(record.ledgers))
             .add("ranks_mean", ranks_text(record.means))
             .add("timeline", json_object()
                                  .add("program", timeline_json(stretch.events, stretch.origin_s))
                                  .text())
             .add("timeline_is_whole", is_whole ? "true" : "false")
             .add("events_left_out", std::to_string(record.dropped_events))
             .add("trace_summary", summaries_text(record.runs))
             .text() +
         "\n";
}

}  // namespace plait
