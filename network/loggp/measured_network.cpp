// SPDX-License-Identifier: BSD-3-Clause
#include "measured_network.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"

namespace plait::network::loggp {
namespace {

// 1/G, or null where a line does not rise.
measure::json bandwidth_Bps(const model::segment& segment) {
  const double per_byte_s = segment.network.gap_per_byte_s;
  return per_byte_s > 0 ? measure::json(1 / per_byte_s) : measure::json(nullptr);
}

measure::json estimate_of(const probe::size_times& size, int messages,
                          double (*estimate)(const model::round_trips&)) {
  std::vector<double> rounds;
  for (std::size_t i = 0; i < size.prtt_1_0_s.size(); ++i)
    rounds.push_back(estimate(size.round(i, messages)));
  return {{"median", estimate(size.medians(messages))},
          {"q1", measure::quantile(rounds, 0.25)},
          {"q3", measure::quantile(rounds, 0.75)}};
}

measure::json segment_of(const model::segment& segment) {
  return {{"first_bytes", segment.first_bytes},
          {"last_bytes", segment.last_bytes},
          {"gap_s", segment.network.gap_s},
          {"gap_per_byte_s", segment.network.gap_per_byte_s},
          {"bandwidth_Bps", bandwidth_Bps(segment)},
          {"overhead_per_byte_s", segment.network.overhead_per_byte_s},
          {"line",
           {{"at_zero_s", segment.gaps.at_zero_s},
            {"per_byte_s", segment.gaps.per_byte_s},
            {"residual_s", segment.gaps.residual_s}}}};
}

}  // namespace

measure::json sizes_of(const probe::loggp_measurement& measured, int messages) {
  measure::json sizes = measure::json::array();
  for (const probe::size_times& size : measured.sizes) {
    sizes.push_back(
        {{"size_bytes", size.size_bytes},
         {"delay_s", size.delay_s},
         {"prtt_1_0_s", measure::to_json(measure::summarize(size.prtt_1_0_s))},
         {"prtt_n_0_s", measure::to_json(measure::summarize(size.prtt_n_0_s))},
         {"prtt_n_d_s", measure::to_json(measure::summarize(size.prtt_n_d_s))},
         {"receiving_s", measure::to_json(measure::summarize(size.receiving_s))},
         {"gap_s", estimate_of(size, messages, model::gap_s)},
         {"send_overhead_s", estimate_of(size, messages, model::send_overhead_s)},
         {"receive_overhead_s", estimate_of(size, messages, model::receive_overhead_s)}});
  }
  return sizes;
}

measure::json fit_of(const model::network_fit& fit) {
  const model::parameters& of_one_byte = fit.segments.front().network;
  measure::json segments = measure::json::array();
  for (const model::segment& segment : fit.segments) segments.push_back(segment_of(segment));
  return {{"latency_s", of_one_byte.latency_s},
          {"send_overhead_s", of_one_byte.send_overhead_s},
          {"receive_overhead_s", of_one_byte.receive_overhead_s},
          {"eager_limit_bytes",
           fit.eager_limit_bytes ? measure::json(*fit.eager_limit_bytes) : measure::json(nullptr)},
          {"segments", segments},
          {"remarks", fit.remarks}};
}

measure::json link_of(const model::network_fit& fit, const probe::loggp_plan& plan) {
  if (plan.link_rate_Bps <= 0) return nullptr;
  measure::json link{{"payload_Bps", plan.link_rate_Bps},
                     {"burst_bytes", plan.link_burst_bytes},
                     {"bandwidth_Bps", nullptr},
                     {"ratio", nullptr}};
  const model::segment* beyond = probe::beyond_link_burst(fit, plan);
  if (beyond != nullptr && beyond->network.gap_per_byte_s > 0) {
    link["bandwidth_Bps"] = bandwidth_Bps(*beyond);
    link["ratio"] = 1 / (beyond->network.gap_per_byte_s * plan.link_rate_Bps);
  }
  return link;
}

void print(const model::network_fit& fit) {
  const model::parameters& of_one_byte = fit.segments.front().network;
  std::printf("L %.3f us   o_s %.3f us   o_r %.3f us\n", 1e6 * of_one_byte.latency_s,
              1e6 * of_one_byte.send_overhead_s, 1e6 * of_one_byte.receive_overhead_s);
  for (const model::segment& segment : fit.segments) {
    std::printf("%.0f to %.0f bytes: g %.3f us   G %.4f ns/byte   residual %.3f us\n",
                segment.first_bytes, segment.last_bytes, 1e6 * segment.network.gap_s,
                1e9 * segment.network.gap_per_byte_s, 1e6 * segment.gaps.residual_s);
  }
  if (fit.eager_limit_bytes)
    std::printf("beyond %.0f bytes the receiver is asked first\n", *fit.eager_limit_bytes);
  for (const std::string& remark : fit.remarks) std::printf("%s\n", remark.c_str());
  std::fflush(stdout);
}

}  // namespace plait::network::loggp
