// SPDX-License-Identifier: BSD-3-Clause
#include "charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ft_probe {

using plait::event_kind;
using plait::measure::gantt;

gantt modelled_chart(const model_symbols& s) {
  gantt chart;
  const double carried_s = complex_bytes * s.length * s.gap_per_byte_s;
  double now = 0, network_free = 0;
  double next_message = 0;  // g after the last one
  const auto rounds = static_cast<int>(std::lround(s.rows / s.ranks));
  for (int row = 0; row < rounds * static_cast<int>(s.ranks); ++row) {
    const double computed = now + s.computation_s;
    chart.processor(event_kind::compute, "transform", now, computed);
    now = computed;
    const bool stays = (row + 1) % static_cast<int>(s.ranks) == 0;
    if (stays) continue;
    const double begin = std::max(now, next_message);
    chart.processor(event_kind::exposed, "gap", now, begin);
    now = begin + s.overhead_s;
    chart.processor(event_kind::posting, "initiate", begin, now);
    next_message = begin + s.gap_s;
    const double leaves = std::max(begin + std::max(s.overhead_s, s.gap_s), network_free);
    network_free = leaves + carried_s;
    chart.network("transfer", leaves, network_free);
  }
  chart.processor(event_kind::exposed, "wait", now, network_free);
  return chart;
}

gantt measured_chart(const std::vector<plait::measure::part_watch::one_lap>& laps) {
  constexpr std::array<plait::measure::drawn_part, 4> parts{{{event_kind::compute, "transform"},
                                                             {event_kind::posting, "initiate"},
                                                             {event_kind::exposed, "wait"},
                                                             {event_kind::exposed, "barrier"}}};
  return plait::measure::chart_of(laps, parts);
}

}  // namespace ft_probe
