// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "derived.hpp"
#include "size_list.hpp"
#include "support/gather.hpp"
#include "support/quiet_barrier.hpp"
#include "support/statistics.hpp"
#include "support/transport_cost.hpp"

namespace plait::bench {
namespace {

std::string column_of(std::size_t size, double ratio) {
  return fmt::format("{} work {:g}", size_label(size), ratio);
}

// How long an exchange takes alone, the median of a few short measurements.
double calibrated_exchange_s(environment& env, std::size_t size) {
  load what{.size_bytes = size, .pieces = 0, .steps = 4};
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i)
    seconds.push_back(app::maximum(env, communication_alone_s(env, what)));
  return app::median(seconds);
}

// Seconds of a unit of work on the slowest of the ranks that are to work, likewise.  The others
// sleep meanwhile: on shared cores they would be in the way.
double calibrated_unit_s(environment& env, int working_ranks) {
  std::vector<double> seconds;
  for (int i = 0; i < 9; ++i) {
    const double own_s = env.rank() < working_ranks ? unit_seconds(0.01) : 0;
    app::quiet_barrier(env);
    seconds.push_back(app::maximum(env, own_s));
  }
  return app::median(seconds);
}

load load_of(std::size_t size, double exchange_s, double unit_s, double ratio,
             const session_options& wanted) {
  load what{.size_bytes = size, .pieces = wanted.pieces, .workers = wanted.workers};
  what.units = std::max(1L, std::lround(ratio * exchange_s / unit_s));
  const double step_s = (1 + ratio) * exchange_s;
  what.steps = static_cast<int>(std::clamp(wanted.sample_s / step_s, 2.0, 1e5));
  return what;
}

// Without the work where this rank is to do none.
load own_part(const environment& env, load what, const session_options& wanted) {
  if (env.rank() >= wanted.working_ranks) what.pieces = 0;
  return what;
}

json remarks_of(const load& what) {
  return {{"size_bytes", what.size_bytes},
          {"work_units", what.units},
          {"pieces", what.pieces},
          {"steps", what.steps}};
}

// The rank that is last decides how long a step takes; waiting is the mean over ranks.
measurement measurement_of(environment& env, const contestant& one, const std::string& column,
                           const load& what) {
  measurement result{one.name, column, [&env, one, what] {
                       const timing own = one.run(env, what);
                       const double exposed_s = app::sum(env, own.exposed_s) / env.size();
                       json figures{{"total_us", 1e6 * app::maximum(env, own.total_s)}};
                       if (std::isfinite(exposed_s)) figures["exposed_us"] = 1e6 * exposed_s;
                       return figures;
                     }};
  result.remarks = remarks_of(what);
  return result;
}

measurement alone(environment& env, const std::string& column, const load& what,
                  double exchange_s) {
  return {alone_row, column,
          [&env, what, exchange_s] {
            json figures{
                {"communication_us", 1e6 * app::maximum(env, communication_alone_s(env, what))},
                {"computation_us", 1e6 * app::maximum(env, computation_alone_s(env, what))}};
            // Below, sleeping between looks costs more than the transport does.
            const std::chrono::duration<double> look = app::between_looks;
            if (exchange_s < look.count()) return figures;
            const double cpu_s = app::sum(env, transport_s(env, what, exchange_s)) / env.size();
            if (std::isfinite(cpu_s)) figures["transport_cpu_us"] = 1e6 * cpu_s;
            return figures;
          },
          remarks_of(what)};
}

std::vector<measurement> plan(environment& env, const session_options& wanted) {
  std::vector<measurement> result;
  env.barrier();
  const double unit_s = calibrated_unit_s(env, wanted.working_ranks);
  for (const std::size_t size : wanted.sizes) {
    const double exchange_s = calibrated_exchange_s(env, size);
    for (const double ratio : wanted.ratios) {
      const load what = own_part(env, load_of(size, exchange_s, unit_s, ratio, wanted), wanted);
      const std::string column = column_of(size, ratio);
      result.push_back(alone(env, column, what, exchange_s));
      for (const contestant& one : wanted.contestants)
        result.push_back(measurement_of(env, one, column, what));
    }
  }
  return result;
}

std::vector<measurement> plan_beside(environment& env, const json& earlier, const contestant& one,
                                     const session_options& wanted) {
  std::vector<measurement> result;
  for (const auto& [column, cell] : earlier.items()) {
    const load what{.size_bytes = cell.at("size_bytes").get<std::size_t>(),
                    .units = cell.at("work_units").get<long>(),
                    .pieces = cell.at("pieces").get<int>(),
                    .steps = cell.at("steps").get<int>(),
                    .workers = wanted.workers};
    result.push_back(measurement_of(env, one, column, own_part(env, what, wanted)));
  }
  return result;
}

}  // namespace

json measure(environment& env, const session_options& wanted) {
  json rows = measure_interleaved(plan(env, wanted), wanted.repetition);
  add_limits(rows);
  for (const contestant& one : wanted.contestants) {
    for (auto& [column, cell] : rows.at(one.name).items()) add_hidden_fraction(cell, rows, column);
  }
  return rows;
}

json measure_beside(environment& env, const json& earlier_rows, const contestant& one,
                    const session_options& wanted) {
  if (!earlier_rows.contains(alone_row))
    throw usage_error("--beside: that is no result of this benchmark");
  json rows = measure_interleaved(plan_beside(env, earlier_rows.at(alone_row), one, wanted),
                                  wanted.repetition);
  for (auto& [column, cell] : rows.at(one.name).items())
    add_hidden_fraction(cell, earlier_rows, column);
  return rows;
}

}  // namespace plait::bench
