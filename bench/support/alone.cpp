// SPDX-License-Identifier: BSD-3-Clause
#include "alone.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "derived.hpp"
#include "measure/gather.hpp"
#include "measure/quiet_barrier.hpp"
#include "measure/statistics.hpp"
#include "transport.hpp"

namespace plait::bench {

measurement measure_alone(environment& env, const std::string& column, double exchange_s,
                          alone_parts parts, json remarks) {
  return {alone_row, column,
          [&env, exchange_s, parts = std::move(parts)] {
            json figures{{"communication_us", 1e6 * measure::maximum(env, parts.communication_s())},
                         {"computation_us", 1e6 * measure::maximum(env, parts.computation_s())}};
            if (!transport_is_measurable(exchange_s)) return figures;
            const double cpu_s = measure::sum(env, parts.transport_s()) / env.size();
            if (std::isfinite(cpu_s)) figures["transport_cpu_us"] = 1e6 * cpu_s;
            return figures;
          },
          std::move(remarks)};
}

double step_seconds(environment& env, int steps, const std::function<void()>& step) {
  step();
  env.barrier();
  const ticks start = now_ticks();
  for (int i = 0; i < steps; ++i) step();
  return ticks_to_seconds(now_ticks() - start) / steps;
}

double slowest_s(environment& env, int times, const std::function<double()>& own_seconds) {
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    const double own_s = own_seconds();
    measure::quiet_barrier(env);
    seconds.push_back(measure::maximum(env, own_s));
  }
  return measure::median(seconds);
}

json policy_chosen(environment& env, int workers) {
  const runtime rt{env, {.workers = workers}};
  return {{"policy_chosen", rt.progress_choice().name},
          {"policy_reason", rt.progress_choice().reason}};
}

}  // namespace plait::bench
