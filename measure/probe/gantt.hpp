// SPDX-License-Identifier: BSD-3-Clause
/// Gantt charts of a rank's processor and network, measured or modelled.  [overlap-probes, figures
/// 20 to 22, 27 and 28]
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "part_watch.hpp"

namespace plait::measure {

class gantt {
 public:
  /// Adds what the processor does from `begin_s` to `end_s`, unless that is no time.
  void processor(event_kind what, std::string name, double begin_s, double end_s) {
    add("processor", what, std::move(name), begin_s, end_s);
  }
  void network(std::string name, double begin_s, double end_s) {
    add("network", event_kind::message, std::move(name), begin_s, end_s);
  }

  [[nodiscard]] const std::vector<trace_event>& events() const noexcept { return events_; }
  /// Returns the end of the last event; 0 of none.
  [[nodiscard]] double end_s() const noexcept { return end_s_; }

 private:
  void add(const char* lane, event_kind what, std::string name, double begin_s, double end_s) {
    if (end_s <= begin_s) return;
    end_s_ = std::max(end_s_, end_s);
    events_.push_back(
        {.lane = lane, .name = std::move(name), .kind = what, .begin_s = begin_s, .end_s = end_s});
  }

  std::vector<trace_event> events_;
  double end_s_ = 0;
};

/// Says how a part of a program is drawn.
struct drawn_part {
  event_kind what = event_kind::compute;
  const char* name = "";
};

/// Returns the chart of a run's processor.  `parts`: by the laps' number.
[[nodiscard]] inline gantt chart_of(const std::vector<part_watch::one_lap>& laps,
                                    std::span<const drawn_part> parts) {
  gantt chart;
  for (const part_watch::one_lap& one : laps)
    chart.processor(parts[one.part].what, parts[one.part].name, ticks_to_seconds(one.begin),
                    ticks_to_seconds(one.end));
  return chart;
}

}  // namespace plait::measure
