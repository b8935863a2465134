// SPDX-License-Identifier: BSD-3-Clause
#include "alone.hpp"

#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "measure/base/gather.hpp"
#include "measure/base/quiet_barrier.hpp"
#include "measure/base/statistics.hpp"
#include "measure/load/transport_cost.hpp"
#include "measure/load/work.hpp"
#include "row_limits.hpp"

namespace plait::measure {

measurement measure_alone(environment& env, const std::string& column, double exchange_s,
                          alone_parts parts, json remarks) {
  return {alone_row, column,
          [&env, exchange_s, parts = std::move(parts)] {
            json figures{{"communication_us", 1e6 * maximum(env, parts.communication_s())},
                         {"computation_us", 1e6 * maximum(env, parts.computation_s())}};
            if (!transport_is_measurable(exchange_s)) return figures;
            const double cpu_s = sum(env, parts.transport_s()) / env.size();
            if (std::isfinite(cpu_s)) figures["transport_cpu_us"] = 1e6 * cpu_s;
            return figures;
          },
          std::move(remarks)};
}

measurement measure_exchange(environment& env, const std::string& column, int times,
                             exchange_alone what, json remarks) {
  const double exchange_s = slowest_s(env, 3, [&] { return step_seconds(env, 1, what.exchange); });
  return {alone_row, column,
          [&env, times, exchange_s, what = std::move(what)] {
            const double own_s = step_seconds(env, times, what.exchange);
            json figures{{"communication_us", 1e6 * maximum(env, own_s)}};
            if (env.size() == 1 || !transport_is_measurable(exchange_s)) return figures;
            const double cpu_s = transport_s(
                env, [&] { what.exchange_sparsely(between_looks); }, exchange_s);
            const double mean_s = sum(env, cpu_s) / env.size();
            if (std::isfinite(mean_s)) figures["transport_cpu_us"] = 1e6 * mean_s;
            return figures;
          },
          std::move(remarks)};
}

void add_limits_by(json& rows, const std::string& ideal, const std::string& base,
                   const std::vector<std::string>& hiding) {
  for (auto& [column, cell] : rows.at(alone_row).items())
    cell["computation_us"] = rows.at(ideal).at(column).at("total_us");
  add_limits(rows);
  for (const auto& [column, cell] : rows.at(alone_row).items())
    for (const std::string& row : hiding)
      if (rows.contains(row) && rows[row].contains(column))
        add_hidden_fraction(rows[row][column], rows, column, base);
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
    quiet_barrier(env);
    seconds.push_back(maximum(env, own_s));
  }
  return median(seconds);
}

json policy_chosen(environment& env, int workers) {
  const runtime rt{env, {.tasks = {.workers = workers}}};
  return policy_chosen(rt);
}

json policy_chosen(const runtime& rt) {
  return {{"policy_chosen", rt.progress_choice().name},
          {"policy_reason", rt.progress_choice().reason}};
}

bool transport_is_measurable(double operation_s) noexcept {
  return operation_s >= std::chrono::duration<double>(between_looks).count();
}

double transport_s(environment& env, const std::function<void()>& operation, double operation_s) {
  constexpr long units_of_a_count = 3000;  // some 100 µs
  values counted = initial_values();
  return transport_cpu_s(env, {.work = [&] { work(counted, units_of_a_count); },
                               .exchange = [&](std::chrono::microseconds) { operation(); },
                               .exchange_s = operation_s,
                               .sample_s = 0.06,
                               .rounds = 1})
      .front();
}

}  // namespace plait::measure
