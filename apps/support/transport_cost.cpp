// SPDX-License-Identifier: BSD-3-Clause
#include "transport_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "soaker.hpp"
#include "statistics.hpp"

namespace plait::app {
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

}  // namespace

double transport_cpu_s(environment& env, const transport_probe& probe) {
  const std::chrono::duration<double> look = between_looks;
  const std::chrono::duration<double> calibration{probe.window_s / 3};
  const int exchanges = std::clamp(
      static_cast<int>(std::ceil(probe.window_s / std::max(probe.exchange_s, 2 * look.count()))), 2,
      200);
  const int unit = own_unit(env);
  const pinned here(unit);
  const soaker counter(unit, probe.work);

  const auto calibrate = [&] {
    env.barrier();
    return count_during(counter, [&] { std::this_thread::sleep_for(calibration); }).per_second;
  };
  std::vector<double> costs;
  double alone = calibrate();
  for (int round = 0; round < probe.rounds; ++round) {
    env.barrier();
    const counted with = count_during(counter, [&] {
      for (int i = 0; i < exchanges; ++i) probe.exchange();
    });
    const double alone_after = calibrate();
    const double lost = 1.0 - with.per_second / (0.5 * (alone + alone_after));
    costs.push_back(lost * with.seconds / exchanges);
    alone = alone_after;
  }
  const double cost = median(costs);
  return std::isfinite(cost) ? std::max(0.0, cost) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace plait::app
