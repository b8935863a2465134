// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/written/program_result.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <plait/detail/build_info.hpp>
#include <plait/trace/summary.hpp>

#include "trace/json_text.hpp"

namespace plait {
namespace {

/// Upper limit of the events of a timeline: so many a report draws in a blink.
constexpr std::size_t most_timeline_events = 20'000;

/// A list of texts that are JSON.
template <class Range, class Text>
[[nodiscard]] std::string list(const Range& range, Text text) {
  std::string all;
  for (const auto& one : range) all += (all.empty() ? "\n  " : ",\n  ") + text(one);
  return all.empty() ? "[]" : fmt::format("[{}\n ]", all);
}

[[nodiscard]] std::string parts_text(const ledger_entry& of) {
  return fmt::format(
      "\"compute_s\": {:.9f}, \"posting_s\": {:.9f}, \"exposed_s\": {:.9f}, \"overhead_s\": "
      "{:.9f}, "
      "\"idle_s\": {:.9f}, \"wall_s\": {:.9f}",
      of.compute_s, of.posting_s, of.exposed_s, of.overhead_s, of.idle_s, of.wall_s);
}

[[nodiscard]] std::string ledger_text(const std::vector<ledger>& ranks) {
  std::vector<std::string> rows;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const ledger_entry& one : ranks[rank]) {
      rows.push_back(fmt::format("{{\"rank\": {}, \"worker\": {}, {}, \"balance_error\": {:.6f}}}",
                                 rank, one.worker, parts_text(one), one.balance_error()));
    }
  }
  return list(rows, [](const std::string& row) { return row; });
}

[[nodiscard]] std::string windows_text(const program_record& record) {
  if (!record.windows) return {};
  return fmt::format("\"windows\": {}, \"windows_reason\": {}, ",
                     json_text(to_string(record.windows->what)), json_text(record.windows->reason));
}

[[nodiscard]] std::string environment_text(const program_record& record) {
  return fmt::format(
      "{{\"version\": {}, \"commit\": {}, \"library_compiler\": {}, \"library_flags\": {}, "
      "\"mpi\": {}, "
      "\"mpi_version\": {}, \"transport_settings\": {}, \"ranks\": {}, \"hosts\": {}, "
      "\"started_at\": {}, \"workers\": {}, "
      "\"policy_chosen\": {}, \"policy_reason\": {}, {}\"link_rate_Bps\": null}}",
      json_text(detail::build_version), json_text(detail::build_commit),
      json_text(detail::build_compiler), json_text(detail::build_flags),
      json_text(detail::build_mpi), json_text(record.mpi_version),
      json_text(record.transport_settings), record.ranks(),
      list(record.hosts, [](const std::string& host) { return json_text(host); }),
      json_text(record.started_at), record.workers, json_text(record.policy),
      json_text(record.policy_reason), windows_text(record));
}

[[nodiscard]] std::string event_text(const trace_event& e, double origin_s) {
  const auto us = [&](double at_s) { return 1e6 * (at_s - origin_s); };
  std::string text = fmt::format(
      "{{\"rank\": {}, \"lane\": {}, \"name\": {}, \"kind\": \"{}\", \"start_us\": {:.1f}, "
      "\"end_us\": {:.1f}",
      e.rank, json_text(e.lane), json_text(e.name), to_string(e.kind), us(e.begin_s), us(e.end_s));
  if (e.message) text += fmt::format(", \"sent\": {}", e.message->sent);
  if (e.critical) text += ", \"critical\": true";
  return text + "}";
}

/// By rank and start, from the first of these events on.
[[nodiscard]] std::string timeline_text(timeline_stretch stretch) {
  const double origin_s = stretch.events.empty() ? 0 : stretch.events.front()->begin_s;
  std::ranges::stable_sort(stretch.events, {}, [](const trace_event* e) { return e->rank; });
  return list(stretch.events, [&](const trace_event* e) { return event_text(*e, origin_s); });
}

[[nodiscard]] std::string summary_text(const trace_summary& summary) {
  std::string path = fmt::format("\"total_s\": {:.9f}", summary.path_s);
  for (const event_kind kind : {event_kind::compute, event_kind::message, event_kind::posting,
                                event_kind::exposed, event_kind::overhead, event_kind::idle}) {
    path += fmt::format(", \"{}_s\": {:.9f}", to_string(kind), summary.path_of(kind));
  }
  return fmt::format(
      "{{\"span_s\": {:.9f}, \"path\": {{{}}}, \"top\": {}, \"overlapped_s\": {:.9f}, \"busy_s\": "
      "{:.9f}, \"busiest_rank\": {}, \"wire_s\": null, \"limit\": {}}}",
      summary.span_s, path,
      list(summary.top,
           [](const path_share& share) {
             return fmt::format("{{\"name\": {}, \"kind\": \"{}\", \"path_s\": {:.9f}}}",
                                json_text(share.name), to_string(share.kind), share.path_s);
           }),
      summary.overlapped_s, summary.busy_s, summary.busiest_rank, json_text(summary.limit));
}

[[nodiscard]] std::string summaries_text(const std::vector<traced_run>& runs) {
  std::string all;
  for (const traced_run& run : runs) {
    if (!all.empty()) all += ",\n  ";
    all += json_text(run.name) + ": " + summary_text(summarize_trace(run.events, run.path));
  }
  return fmt::format("{{{}}}", all);
}

}  // namespace

std::string program_result(const program_record& record) {
  double wall_s = 0;
  for (const ledger_entry& one : record.means) wall_s = std::max(wall_s, one.wall_s);
  const timeline_stretch stretch = middle_of(record.runs, most_timeline_events);
  std::string text = "{\n";
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format("{} \"{}\": {}", text.size() > 2 ? ",\n" : "", key, value);
  };
  add("schema", "\"plait-result/1\"");
  add("kind", "\"program\"");
  add("application", json_text(record.program));
  add("ranks", std::to_string(record.ranks()));
  add("parameters", fmt::format("{{\"runtimes\": {}}}", record.runtimes));
  add("environment", environment_text(record));
  add("wall_s", fmt::format("{:.9f}", wall_s));
  add("mean", fmt::format("{{{}}}", parts_text(mean_of(record.means))));
  add("ledger", ledger_text(record.ledgers));
  add("timeline", fmt::format("{{\"program\": {}}}", timeline_text(stretch)));
  add("timeline_is_whole", stretch.is_whole && record.dropped_events == 0 ? "true" : "false");
  add("events_left_out", std::to_string(record.dropped_events));
  add("trace_summary", summaries_text(record.runs));
  return text + "\n}\n";
}

}  // namespace plait
