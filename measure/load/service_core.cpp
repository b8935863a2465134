// SPDX-License-Identifier: BSD-3-Clause
#include "service_core.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "measure/base/statistics.hpp"

namespace plait::measure {
namespace {

/// Besides the nodes that were measured: usual sizes.
constexpr std::array other_cores{8, 64};

struct named_part {
  const char* name;
  double model::node_step::*part;
};
using step = model::node_step;
constexpr std::array named_parts{
    named_part{"computation_s", &step::computation_s}, named_part{"one_less_s", &step::one_less_s},
    named_part{"exchange_s", &step::exchange_s},       named_part{"network_s", &step::network_s},
    named_part{"transport_s", &step::transport_s},     named_part{"taken_s", &step::taken_s}};

json to_json(const step& one) {
  json result{{"cores", one.cores}};
  for (const named_part& part : named_parts) result[part.name] = one.*part.part;
  return result;
}

step step_from(const json& text) {
  step result{.cores = text["cores"].get<int>()};
  for (const named_part& part : named_parts) result.*part.part = text[part.name].get<double>();
  return result;
}

/// Of a worker, without waiting.
double busy_s(const measured_variant& one) {
  const breakdown spent = one.spent();
  return spent.compute_s + spent.posting_s + spent.overhead_s;
}

json forecast_of(const step& one) {
  const model::service_forecast forecast = model::forecast_service(one);
  return {{"cores", one.cores},
          {"blocking_s", forecast.blocking_s},
          {"workers_s", forecast.workers_s},
          {"service_s", forecast.service_s},
          {"pays", forecast.pays()},
          {"pays_beside_blocking", forecast.pays_beside_blocking()}};
}

}  // namespace

std::optional<model::node_step> step_of(const measurements& found, int cores, int steps,
                                        const step_variants& by) {
  const measured_variant* workers = found.find(by.workers);
  if (workers == nullptr || workers->workers != cores) return std::nullopt;
  const measured_variant& alone = found.find_ideal(by.workers_ideal);
  const double transport = median(found.leaders.transport_cpu_s);
  const double network = found.leaders.wire_bound_s.value_or(median(found.leaders.communication_s));
  return step{.cores = cores,
              .computation_s = alone.total_s() / steps,
              .one_less_s = found.find_ideal(by.service_ideal).total_s() / steps,
              .exchange_s = median(found.messages.communication_s) / steps,
              .network_s = network / steps,
              .transport_s = std::isfinite(transport) ? transport / steps : 0,
              .taken_s = cores * std::max(0.0, busy_s(*workers) - busy_s(alone)) / steps};
}

void share(environment& env, const std::optional<model::node_step>& step, const known_step& to) {
  const json known = json::parse(broadcast(env, (step ? to_json(*step) : json()).dump()));
  to->reset();
  if (!known.is_null()) *to = step_from(known);
}

json service_core_of(const model::node_step& step) {
  json result{{"step", to_json(step)}, {"nodes", {forecast_of(step)}}};
  for (const int cores : other_cores)
    if (cores != step.cores) result["nodes"].push_back(forecast_of(model::with_cores(step, cores)));
  return result;
}

void print_service_core(const json& result) {
  if (!result.contains("service_core")) return;
  std::printf(
      "model, ms a step of as many cells a core: as base, a worker a core, one less and a "
      "service thread\n");
  for (const json& node : result["service_core"]["nodes"]) {
    const auto ms = [&](const char* part) { return 1e3 * node[part].get<double>(); };
    std::printf("  %3d cores a node  %9.3f %9.3f %9.3f  a service thread is %sworth a worker\n",
                node["cores"].get<int>(), ms("blocking_s"), ms("workers_s"), ms("service_s"),
                node["pays"].get<bool>() ? "" : "not ");
  }
}

}  // namespace plait::measure
