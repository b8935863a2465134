// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/probe/loggp.hpp>

namespace plait::probe {
namespace {

constexpr std::size_t step_bytes = 1024;
constexpr int delay_samples = 5;
// A little more than theory asks: the clocks of the two sides and of the link are not one.
constexpr double margin = 1.1;

double rest_s(const loggp_plan& plan) {
  return plan.link_burst_bytes > 0 ? margin * plan.link_burst_bytes / plan.link_rate_Bps : 0;
}

double on_the_link_s(const loggp_plan& plan, std::size_t size_bytes) {
  return plan.link_rate_Bps > 0 ? margin * static_cast<double>(size_bytes) / plan.link_rate_Bps : 0;
}

// The bursts of one size; d has to be known for the last two.
struct bursts_of_size {
  burst alone;
  burst together;
  burst sends_apart;
  burst receives_apart;

  bursts_of_size(const loggp_plan& plan, const size_times& size)
      : alone{.messages = 1, .size_bytes = size.size_bytes, .rest_s = rest_s(plan)},
        together(alone),
        sends_apart(alone),
        receives_apart(alone) {
    together.messages = sends_apart.messages = receives_apart.messages = plan.messages;
    sends_apart.send_pause_s = receives_apart.receive_pause_s = size.delay_s;
  }
};

double measured_delay_s(const run_burst& run, const loggp_plan& plan, const size_times& size) {
  const burst alone = bursts_of_size(plan, size).alone;
  std::vector<double> samples;
  for (int i = 0; i < delay_samples; ++i) samples.push_back(run(alone).round_trip_s);
  return std::max(model::median(std::move(samples)), on_the_link_s(plan, size.size_bytes));
}

void measure_once(const run_burst& run, const loggp_plan& plan, size_times& size) {
  const bursts_of_size bursts(plan, size);
  size.prtt_1_0_s.push_back(run(bursts.alone).round_trip_s);
  size.prtt_n_0_s.push_back(run(bursts.together).round_trip_s);
  size.prtt_n_d_s.push_back(run(bursts.sends_apart).round_trip_s);
  size.receiving_s.push_back(run(bursts.receives_apart).receiving_s);
}

model::network_fit fit(const loggp_plan& plan, const std::vector<size_times>& sizes) {
  std::vector<model::round_trips> medians;
  for (const size_times& size : sizes) medians.push_back(size.medians(plan.messages));
  // Not least squares, as netgauge has it: a shaper on a busy machine can hold a message's last
  // packet for tens of milliseconds, of the same size in most rounds, so that its median is wild.
  model::fit_options options{.method = model::line_method::theil_sen};
  // Where a whole burst, and where a message alone, no longer passes at once.  The line bends there
  // without a step, which the rule for protocols does not see.
  if (plan.link_burst_bytes > 0)
    options.known_limits_bytes = {plan.link_burst_bytes / plan.messages, plan.link_burst_bytes};
  return model::fit_network(medians, options);
}

}  // namespace

std::vector<std::size_t> netgauge_sizes(std::size_t largest_bytes) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= largest_bytes; size += step_bytes) sizes.push_back(size);
  return sizes;
}

std::vector<std::size_t> sizes_beyond(double link_burst_bytes) {
  std::vector<std::size_t> sizes;
  const auto quarter = static_cast<std::size_t>(std::ceil(link_burst_bytes / 4));
  for (std::size_t i = 8; i <= 16; ++i) sizes.push_back(i * quarter);
  return sizes;
}

void validate(const loggp_plan& plan) {
  if (plan.sizes_bytes.empty() || plan.sizes_bytes.front() != 1)
    throw usage_error("the smallest size must be 1 byte: L is found in its round trip");
  if (plan.sizes_bytes.size() < 2)
    throw usage_error("there is one size only; a line for g and G needs two");
  if (std::ranges::adjacent_find(plan.sizes_bytes, std::greater_equal{}) != plan.sizes_bytes.end())
    throw usage_error("sizes must ascend, and none may come twice");
  if (plan.messages < 2)
    throw usage_error(fmt::format("a burst of {}; it needs 2 messages or more", plan.messages));
  if (plan.repeat < 1)
    throw usage_error(fmt::format("{} rounds; there must be one or more", plan.repeat));
  for (const double value : {plan.link_rate_Bps, plan.link_burst_bytes}) {
    if (!std::isfinite(value) || value < 0)
      throw usage_error(fmt::format("a link's rate or burst is {:g}; it must be 0 or more", value));
  }
  if (plan.link_burst_bytes > 0 && plan.link_rate_Bps == 0)
    throw usage_error(
        "what the link lets through at once is given without its rate; give both, since it says "
        "how long the link must rest");
}

model::round_trips size_times::round(std::size_t index, int messages) const {
  PLAIT_EXPECTS(index < prtt_1_0_s.size(), std::to_string(index));
  return {.size_bytes = static_cast<double>(size_bytes),
          .messages = messages,
          .prtt_1_0_s = prtt_1_0_s[index],
          .prtt_n_0_s = prtt_n_0_s[index],
          .prtt_n_d_s = prtt_n_d_s[index],
          .delay_s = delay_s,
          .receiving_s = receiving_s[index],
          .receive_delay_s = delay_s};
}

model::round_trips size_times::medians(int messages) const {
  PLAIT_EXPECTS(!prtt_1_0_s.empty(), std::to_string(size_bytes) + " bytes: no round");
  return {.size_bytes = static_cast<double>(size_bytes),
          .messages = messages,
          .prtt_1_0_s = model::median(prtt_1_0_s),
          .prtt_n_0_s = model::median(prtt_n_0_s),
          .prtt_n_d_s = model::median(prtt_n_d_s),
          .delay_s = delay_s,
          .receiving_s = model::median(receiving_s),
          .receive_delay_s = delay_s};
}

loggp_measurement measure_loggp(const run_burst& run, const loggp_plan& plan,
                                const tell_progress& tell) {
  validate(plan);
  loggp_measurement result;
  const int total = (plan.repeat + 1) * static_cast<int>(plan.sizes_bytes.size());
  int done = 0;
  const auto step = [&](std::size_t size_bytes) {
    if (tell) tell(done, total, size_bytes);
    ++done;
  };
  for (const std::size_t size_bytes : plan.sizes_bytes) {
    step(size_bytes);
    size_times& size = result.sizes.emplace_back();
    size.size_bytes = size_bytes;
    size.delay_s = measured_delay_s(run, plan, size);
  }
  for (int round = 0; round < plan.repeat; ++round) {
    for (size_times& size : result.sizes) {
      step(size.size_bytes);
      measure_once(run, plan, size);
    }
  }
  step(plan.sizes_bytes.back());
  result.fit = fit(plan, result.sizes);
  return result;
}

const model::segment* beyond_link_burst(const model::network_fit& fit, const loggp_plan& plan) {
  PLAIT_EXPECTS(!fit.segments.empty(), "no segments");
  const model::segment& last = fit.segments.back();
  return last.first_bytes >= plan.link_burst_bytes ? &last : nullptr;
}

}  // namespace plait::probe
