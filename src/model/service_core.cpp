// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/model/service_core.hpp>

namespace plait::model {
namespace {

void check(const node_step& step) {
  if (step.cores < 1)
    throw usage_error(fmt::format("a node of {} processors; it has at least 1", step.cores));
  for (const double seconds : {step.computation_s, step.one_less_s, step.exchange_s, step.network_s,
                               step.transport_s, step.taken_s})
    if (!(seconds >= 0) || std::isinf(seconds))
      throw usage_error(
          fmt::format("a part of a step takes {} s; it must be 0 or more, and finite", seconds));
}

/// Returns what a processor less costs, of what it would cost if computation divided evenly.
double felt_share(const node_step& step) {
  if (step.computation_s == 0) return 1;
  return (step.one_less_s / step.computation_s - 1) * (step.cores - 1);
}

std::string milliseconds(double seconds) {
  return fmt::format("{:.3g} ms", 1e3 * seconds);
}

}  // namespace

service_forecast forecast_service(const node_step& step) {
  check(step);
  service_forecast result;
  result.blocking_s = step.computation_s + step.exchange_s;
  result.workers_s = std::max(step.network_s, step.computation_s + step.taken_s / step.cores);
  result.service_s = step.cores == 1
                         ? std::numeric_limits<double>::infinity()
                         : std::max({step.network_s, step.one_less_s, step.transport_s});
  return result;
}

node_step with_cores(const node_step& step, int cores) {
  check(step);
  PLAIT_EXPECTS(step.cores >= 2 && cores >= 1, fmt::format("{}, {}", step.cores, cores));
  node_step result = step;
  result.cores = cores;
  const double surface = std::pow(static_cast<double>(cores) / step.cores, 2.0 / 3.0);
  result.transport_s *= surface;
  result.taken_s *= surface;
  result.one_less_s =
      cores == 1 ? 0 : std::max(0.0, step.computation_s * (1 + felt_share(step) / (cores - 1)));
  return result;
}

std::string service_sentence(const node_step& step) {
  const service_forecast forecast = forecast_service(step);
  if (step.cores == 1) return "by the model 1 core has no worker to give to a service thread";
  return fmt::format(
      "by the model a step takes {} with {} workers and {} with a worker given up for a service "
      "thread, which would {}pay",
      milliseconds(forecast.workers_s), step.cores, milliseconds(forecast.service_s),
      forecast.pays() ? "" : "not ");
}

}  // namespace plait::model
