// SPDX-License-Identifier: BSD-3-Clause
#include "transport_cost.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "measure/base/quiet_barrier.hpp"
#include "measure/base/statistics.hpp"
#include "soaker.hpp"

namespace plait::measure {
namespace {

// Ranks of a node that may run on the same units take one each in turn.
int own_unit(const environment& env) {
  const auto& masks = env.node_units();
  const auto self = static_cast<std::size_t>(env.node_rank());
  const auto before = std::count(masks.begin(), masks.begin() + env.node_rank(), masks[self]);
  return masks[self][static_cast<std::size_t>(before) % masks[self].size()];
}

struct counted {
  double seconds = 0;
  double per_second = 0;
};

template <class Body>
counted count_during(const soaker& counter, Body&& body) {
  const std::uint64_t count = counter.count();
  const ticks start = now_ticks();
  body();
  counted result;
  result.seconds = ticks_to_seconds(now_ticks() - start);
  result.per_second = static_cast<double>(counter.count() - count) / result.seconds;
  return result;
}

int exchanges_in_a_sample(const transport_probe& probe, std::chrono::microseconds interval) {
  const std::chrono::duration<double> look = interval;
  const double one_s = std::max(probe.exchange_s, 2 * look.count());
  return std::clamp(static_cast<int>(std::ceil(probe.sample_s / one_s)), 2, 200);
}

}  // namespace

std::vector<double> transport_cpu_s(environment& env, const transport_probe& probe) {
  const auto wait_for_all = [&] {
    if (probe.some_sleep) {
      quiet_barrier(env);
    } else {
      env.barrier();
    }
  };
  if (!probe.takes_part) {
    const std::size_t samples = static_cast<std::size_t>(probe.rounds) * probe.intervals.size();
    for (std::size_t i = 0; i < 1 + 2 * samples; ++i) wait_for_all();
    return std::vector<double>(probe.intervals.size(), std::numeric_limits<double>::quiet_NaN());
  }
  const std::chrono::duration<double> calibration{probe.sample_s / 3};
  const int unit = own_unit(env);
  const pinned here(unit);
  const soaker counter(unit, probe.work);

  const auto calibrate = [&] {
    wait_for_all();
    return count_during(counter, [&] { std::this_thread::sleep_for(calibration); }).per_second;
  };
  std::vector<std::vector<double>> costs(probe.intervals.size());
  double alone = calibrate();
  for (int round = 0; round < probe.rounds; ++round)
    for (std::size_t way = 0; way < probe.intervals.size(); ++way) {
      const std::chrono::microseconds interval = probe.intervals[way];
      const int exchanges = exchanges_in_a_sample(probe, interval);
      wait_for_all();
      const counted with = count_during(counter, [&] {
        for (int i = 0; i < exchanges; ++i) probe.exchange(interval);
      });
      const double alone_after = calibrate();
      const double lost = 1.0 - with.per_second / (0.5 * (alone + alone_after));
      costs[way].push_back(lost * with.seconds / exchanges);
      alone = alone_after;
    }
  std::vector<double> result;
  for (const std::vector<double>& each : costs) {
    const double cost = median(each);
    result.push_back(std::isfinite(cost) ? std::max(0.0, cost) : cost);
  }
  return result;
}

std::size_t cheapest(std::span<const std::vector<double>> samples_by_way) {
  PLAIT_EXPECTS(!samples_by_way.empty(), "no way of looking");
  const auto median_or_most = [](const std::vector<double>& samples) {
    const double value = median(samples);
    return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
  };
  const auto least = std::ranges::min_element(samples_by_way, {}, median_or_most);
  return static_cast<std::size_t>(least - samples_by_way.begin());
}

}  // namespace plait::measure
