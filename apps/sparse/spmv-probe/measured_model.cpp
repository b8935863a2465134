// SPDX-License-Identifier: BSD-3-Clause
#include "measured_model.hpp"

#include <algorithm>

#include "algorithms.hpp"

namespace spmv_probe {

using plait::measure::bar_samples;
using plait::measure::stacked_bar;

measured_network network_of(const calibration& measured, int ranks, double block_bytes) {
  measured_network found;
  found.product = {.ranks = ranks,
                   .block_bytes = block_bytes,
                   .block_compute_s = measured.computation_s / ranks};
  found.m.send_overhead_s = measured.busy_initiation_s;
  found.m.gap_s = measured.idle_initiation_s;
  found.m.latency_s = std::max(0.0, (measured.round_trip_s - found.m.send_overhead_s) / 2);
  found.m.gap_per_byte_s = measured.flood_s_per_byte;
  found.e = found.m;
  found.e.gap_per_byte_s = spmv_gap_per_byte_s(found.m, found.product, measured.alone_s);
  return found;
}

std::vector<std::string> model_parts() {
  return {"computation_s", "exposed_communication_s"};
}

std::vector<stacked_bar> model_bars(const std::string& group, const measured_network& network,
                                    const bar_samples& actual, bool verified) {
  const auto modelled = [&](const char* name, const parameters& of) {
    const double computation_s = network.product.ranks * network.product.block_compute_s;
    stacked_bar bar = plait::measure::modelled_bar(
        group, name, {computation_s, spmv_exposed_s(of, network.product)});
    bar.remarks["error"] = bar.times.median_total_s() / actual.median_total_s() - 1;
    return bar;
  };
  stacked_bar measured{.group = group, .name = "A", .verified = verified};
  measured.times.total_s = actual.total_s;
  measured.times.parts_s.resize(2);
  for (std::size_t run = 0; run < actual.total_s.size(); ++run) {
    const double computation_s =
        actual.parts_s[part::local][run] + actual.parts_s[part::remote][run];
    measured.times.parts_s[0].push_back(computation_s);
    measured.times.parts_s[1].push_back(actual.total_s[run] - computation_s);
  }
  return {modelled("M", network.m), modelled("E", network.e), measured};
}

plait::measure::json to_json(const measured_network& network) {
  return {{"latency_s", network.m.latency_s},
          {"overhead_s", network.m.send_overhead_s},
          {"gap_s", network.m.gap_s},
          {"gap_per_byte_s", network.m.gap_per_byte_s},
          {"gap_per_byte_of_pattern_s", network.e.gap_per_byte_s},
          {"block_bytes", network.product.block_bytes},
          {"block_compute_s", network.product.block_compute_s}};
}

}  // namespace spmv_probe
