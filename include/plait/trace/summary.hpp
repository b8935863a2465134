// SPDX-License-Identifier: BSD-3-Clause
/// Summarizes a trace in a few figures and a sentence.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/trace/critical_path.hpp>
#include <plait/trace/event.hpp>

namespace plait {

/// Seconds of the critical path that went to everything of one name.
struct path_share {
  std::string name;
  event_kind kind = event_kind::compute;
  double path_s = 0;
};

/// Says what limits a run, and how much of it.
struct trace_summary {
  static constexpr std::size_t most_shares = 5;

  double span_s = 0;  ///< from the first task's or message's begin to the last one's end
  double path_s = 0;  ///< length of the critical path
  std::array<double, event_kind_count> path_by_kind_s{};  ///< by event_kind; adds up to path_s
  std::vector<path_share> top;  ///< what the path went to most, at most `most_shares`
  /// Time that would remain with perfect overlap: max(busy_s, wire_s).
  double overlapped_s = 0;
  double busy_s = 0;  ///< of the busiest rank: compute + posting + overhead, mean of its workers
  int busiest_rank = 0;
  std::optional<double> wire_s;  ///< what the messages need on the link, where that is known
  std::string limit;             ///< one sentence: what limits the run

  [[nodiscard]] double path_of(event_kind kind) const noexcept {
    return path_by_kind_s[static_cast<std::size_t>(kind)];
  }
};

/// Summarizes one run, given the events of all ranks and their critical path.
[[nodiscard]] trace_summary summarize_trace(std::span<const trace_event> events,
                                            std::span<const path_step> path,
                                            std::optional<double> wire_s = std::nullopt);

}  // namespace plait
