// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <plait/trace/summary.hpp>

#include "core/filled.hpp"

namespace plait {
namespace {

/// Time that one worker's lane covers, and the part of it that was waiting.
struct lane_time {
  double begin_s = std::numeric_limits<double>::max();
  double end_s = std::numeric_limits<double>::lowest();
  double waited_s = 0;

  [[nodiscard]] double busy_s() const noexcept { return end_s - begin_s - waited_s; }
};

[[nodiscard]] bool is_wait(const trace_event& e) noexcept {
  return e.kind == event_kind::exposed || e.kind == event_kind::idle;
}

/// Waits may begin long before the first task.
[[nodiscard]] double span_of(std::span<const trace_event> events) {
  double begin_s = std::numeric_limits<double>::max();
  double end_s = std::numeric_limits<double>::lowest();
  for (const trace_event& e : events) {
    if (is_wait(e)) continue;
    begin_s = std::min(begin_s, e.begin_s);
    end_s = std::max(end_s, e.end_s);
  }
  return std::max(0.0, end_s - begin_s);
}

/// Finds the rank that was busiest.  Gaps between two events of a worker are posting and overhead:
/// all but waiting counts as busy.
void find_busiest_rank(std::span<const trace_event> events, trace_summary& summary) {
  std::map<int, std::map<std::string, lane_time>> ranks;
  for (const trace_event& e : events) {
    if (e.kind == event_kind::message || e.lane.starts_with(resource_lane)) continue;
    lane_time& lane = ranks[e.rank][e.lane];
    lane.begin_s = std::min(lane.begin_s, e.begin_s);
    lane.end_s = std::max(lane.end_s, e.end_s);
    if (is_wait(e)) lane.waited_s += e.end_s - e.begin_s;
  }
  for (const auto& [rank, lanes] : ranks) {
    double sum_s = 0;
    for (const auto& [name, lane] : lanes) sum_s += lane.busy_s();
    const double busy_s = sum_s / static_cast<double>(lanes.size());
    if (busy_s <= summary.busy_s) continue;
    summary.busy_s = busy_s;
    summary.busiest_rank = rank;
  }
}

void add_path(std::span<const path_step> path, trace_summary& summary) {
  std::map<std::pair<event_kind, std::string>, double> by_name;
  for (const path_step& step : path) {
    const double length_s = step.end_s - step.begin_s;
    summary.path_s += length_s;
    summary.path_by_kind_s[static_cast<std::size_t>(step.kind)] += length_s;
    by_name[{step.kind, step.name}] += length_s;
  }
  for (const auto& [what, path_s] : by_name) {
    summary.top.push_back({what.second, what.first, path_s});
  }
  std::ranges::stable_sort(summary.top, std::ranges::greater{}, &path_share::path_s);
  if (summary.top.size() > trace_summary::most_shares) {
    summary.top.resize(trace_summary::most_shares);
  }
}

[[nodiscard]] std::string percent(double part, double whole) {
  return fixed(whole > 0 ? 100 * part / whole : 0.0, 0) + " %";
}

/// " ('interior' 50 %, 'rim' 12 %)": the largest shares of a kind.
[[nodiscard]] std::string foremost(const trace_summary& summary, event_kind kind) {
  std::string text;
  for (const path_share& share : summary.top) {
    if (share.kind != kind || share.path_s < 0.005 * summary.path_s) continue;
    text += filled("{}'{}' {}", text.empty() ? "" : ", ", share.name,
                   percent(share.path_s, summary.path_s));
  }
  return text.empty() ? text : " (" + text + ")";
}

[[nodiscard]] std::string limit_of(const trace_summary& summary) {
  if (summary.path_s <= 0) return "nothing was traced";
  const double wire_s = summary.wire_s.value_or(0);
  if (wire_s > summary.busy_s && wire_s > 0.95 * summary.span_s) {
    return filled("the link limits it: its messages need {} of the time",
                  percent(wire_s, summary.span_s));
  }
  const double compute_s = summary.path_of(event_kind::compute);
  const double message_s = summary.path_of(event_kind::message);
  const double waiting_s = summary.path_of(event_kind::exposed) + summary.path_of(event_kind::idle);
  const double between_s =
      summary.path_of(event_kind::posting) + summary.path_of(event_kind::overhead);
  const double largest_s = std::max({compute_s, message_s, waiting_s, between_s});
  std::string what = "what is between tasks limits it (posting, scheduling)";
  std::string names;
  if (largest_s == compute_s) {
    what = "computation limits it";
    names = foremost(summary, event_kind::compute);
  } else if (largest_s == message_s) {
    what = "messages on their way limit it";
    names = foremost(summary, event_kind::message);
  } else if (largest_s == waiting_s) {
    what = "waiting between an event and what it allowed limits it";
  }
  return filled("{}: {} of the critical path{}", what, percent(largest_s, summary.path_s), names);
}

}  // namespace

trace_summary summarize_trace(std::span<const trace_event> events, std::span<const path_step> path,
                              std::optional<double> wire_s) {
  trace_summary summary;
  summary.span_s = span_of(events);
  summary.wire_s = wire_s;
  add_path(path, summary);
  find_busiest_rank(events, summary);
  summary.overlapped_s = std::max(summary.busy_s, wire_s.value_or(0));
  summary.limit = limit_of(summary);
  return summary;
}

}  // namespace plait
