// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <ctime>
#include <tuple>

#include <plait/detail/build_info.hpp>
#include <plait/trace/result_parts.hpp>

#include "core/filled.hpp"
#include "trace/json_text.hpp"

namespace plait {
namespace {

[[nodiscard]] std::string event_json(const trace_event& e, double origin_s) {
  const auto us = [&](double at_s) { return 1e6 * (at_s - origin_s); };
  std::string text =
      filled(R"({"rank": {}, "lane": {}, "name": {}, "kind": "{}", "start_us": {}, "end_us": {})",
             e.rank, json_text(e.lane), json_text(e.name), to_string(e.kind),
             fixed(us(e.begin_s), 3), fixed(us(e.end_s), 3));
  if (e.message) text += filled(", \"sent\": {}", e.message->sent);
  if (e.critical) text += ", \"critical\": true";
  return text + "}";
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string result_head(std::string_view kind, std::string_view member, std::string_view program) {
  return json_object()
      .add("schema", json_text("plait-result/1"))
      .add("kind", json_text(kind))
      .add(member, json_text(program))
      .text();
}

std::string environment_json(const result_origin& origin) {
  const std::string of = origin.is_library_only ? "library_" : "";
  json_object all;
  all.add("version", json_text(detail::build_version))
      .add("commit", json_text(detail::build_commit))
      .add(of + "compiler", json_text(detail::build_compiler))
      .add(of + "flags", json_text(detail::build_flags))
      .add("mpi", json_text(detail::build_mpi));
  if (!origin.mpi_version.empty()) all.add("mpi_version", json_text(origin.mpi_version));
  if (origin.transport_settings) {
    all.add("transport_settings", json_text(*origin.transport_settings));
  }
  if (origin.ranks > 0) all.add("ranks", origin.ranks);
  if (!origin.hosts.empty()) all.add("hosts", json_list(origin.hosts, json_text));
  return all.add("started_at", json_text(origin.started_at.empty() ? utc_now() : origin.started_at))
      .text();
}

std::string trace_summary_json(const trace_summary& summary) {
  json_object path;
  path.add("total_s", summary.path_s);
  for (const event_kind kind : {event_kind::compute, event_kind::message, event_kind::posting,
                                event_kind::exposed, event_kind::overhead, event_kind::idle}) {
    path.add(std::string(to_string(kind)) + "_s", summary.path_of(kind));
  }
  const auto share_json = [](const path_share& share) {
    return filled(R"({"name": {}, "kind": "{}", "path_s": {}})", json_text(share.name),
                  to_string(share.kind), json_number(share.path_s));
  };
  return json_object()
      .add("span_s", summary.span_s)
      .add("path", path.text())
      .add("top", json_list(summary.top, share_json))
      .add("overlapped_s", summary.overlapped_s)
      .add("busy_s", summary.busy_s)
      .add("busiest_rank", summary.busiest_rank)
      .add("wire_s", summary.wire_s ? json_number(*summary.wire_s) : "null")
      .add("limit", json_text(summary.limit))
      .text();
}

std::string timeline_json(std::vector<const trace_event*> events, double origin_s) {
  std::ranges::stable_sort(events, [](const trace_event* a, const trace_event* b) {
    return std::tie(a->rank, a->begin_s) < std::tie(b->rank, b->begin_s);
  });
  return json_list(events, [&](const trace_event* e) { return event_json(*e, origin_s); });
}

}  // namespace plait
