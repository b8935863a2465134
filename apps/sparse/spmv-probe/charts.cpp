// SPDX-License-Identifier: BSD-3-Clause
#include "charts.hpp"

#include <algorithm>
#include <array>

namespace spmv_probe {

using plait::event_kind;
using plait::measure::gantt;

gantt modelled_chart(const parameters& network, const spmv_product& what) {
  const bool waits = spmv_communicating_s(network, what) > spmv_computing_s(network, what);
  const double o = network.send_overhead_s;
  const double trip_s = 2 * network.latency_s + what.block_bytes * network.gap_per_byte_s;
  gantt chart;
  double now = 0;
  for (int block = 0; block < what.ranks; ++block) {
    double got = 0;
    if (block + 1 < what.ranks) {
      chart.processor(event_kind::posting, "get", now, now + o);
      got = now + (block == 0 ? o : std::max(o, network.gap_s)) + trip_s;
      chart.network("get", now + o, got);
      now += o;
    }
    chart.processor(event_kind::compute, "multiply", now, now + what.block_compute_s);
    now += what.block_compute_s;
    if (!waits) continue;
    chart.processor(event_kind::exposed, "wait", now, got);
    now = std::max(now, got);
  }
  return chart;
}

gantt measured_chart(const std::vector<plait::measure::part_watch::one_lap>& laps) {
  constexpr std::array<plait::measure::drawn_part, 6> parts{{{event_kind::posting, "get"},
                                                             {event_kind::posting, "get"},
                                                             {event_kind::exposed, "wait"},
                                                             {event_kind::exposed, "barrier"},
                                                             {event_kind::compute, "multiply"},
                                                             {event_kind::compute, "multiply"}}};
  return plait::measure::chart_of(laps, parts);
}

}  // namespace spmv_probe
