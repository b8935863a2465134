// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "measure/base/size_list.hpp"
#include "measure/rows/alone.hpp"
#include "measure/rows/row_limits.hpp"

namespace plait::bench::exchange {
namespace {

std::string column_of(std::size_t size, double ratio) {
  return fmt::format("{} work {:g}", measure::size_label(size), ratio);
}

// Returns the time that an exchange takes alone, the median of a few short measurements.
double calibrated_exchange_s(environment& env, std::size_t size) {
  load what{.size_bytes = size, .pieces = 0, .steps = 4};
  return measure::slowest_s(env, 3, [&] { return communication_alone_s(env, what); });
}

// Seconds of a unit of work on the slowest of the ranks that are to work, likewise.  The others are
// not in the way: they wait without taking a core.
double calibrated_unit_s(environment& env, int working_ranks) {
  return measure::slowest_s(
      env, 9, [&] { return env.rank() < working_ranks ? measure::unit_seconds(0.01) : 0; });
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

measure::json remarks_of(const load& what) {
  return {{"size_bytes", what.size_bytes},
          {"work_units", what.units},
          {"pieces", what.pieces},
          {"steps", what.steps}};
}

std::vector<measure::measurement> plan(environment& env, const session_options& wanted) {
  std::vector<measure::measurement> result;
  env.barrier();
  const double unit_s = calibrated_unit_s(env, wanted.working_ranks);
  for (const std::size_t size : wanted.sizes) {
    const double exchange_s = calibrated_exchange_s(env, size);
    for (const double ratio : wanted.ratios) {
      const load what = own_part(env, load_of(size, exchange_s, unit_s, ratio, wanted), wanted);
      const std::string column = column_of(size, ratio);
      result.push_back(measure::measure_alone(
          env, column, exchange_s,
          {[&env, what] { return communication_alone_s(env, what); },
           [&env, what] { return computation_alone_s(env, what); },
           [&env, what, exchange_s] { return transport_s(env, what, exchange_s); }},
          remarks_of(what)));
      for (const contestant& one : wanted.contestants)
        result.push_back(measure::measurement_of(env, one, column, what, remarks_of(what)));
    }
  }
  return result;
}

std::vector<measure::measurement> plan_beside(environment& env, const measure::json& earlier,
                                              const contestant& one,
                                              const session_options& wanted) {
  std::vector<measure::measurement> result;
  for (const auto& [column, cell] : earlier.items()) {
    const load what{.size_bytes = cell.at("size_bytes").get<std::size_t>(),
                    .units = cell.at("work_units").get<long>(),
                    .pieces = cell.at("pieces").get<int>(),
                    .steps = cell.at("steps").get<int>(),
                    .workers = wanted.workers};
    const load own = own_part(env, what, wanted);
    result.push_back(measure::measurement_of(env, one, column, own, remarks_of(own)));
  }
  return result;
}

}  // namespace

measure::json measure(environment& env, const session_options& wanted) {
  measure::json rows = measure::measure_interleaved(plan(env, wanted), wanted.repetition);
  measure::add_limits(rows);
  for (const contestant& one : wanted.contestants) {
    for (auto& [column, cell] : rows.at(one.name).items())
      measure::add_hidden_fraction(cell, rows, column);
  }
  return rows;
}

measure::json measure_beside(environment& env, const measure::json& earlier_rows,
                             const contestant& one, const session_options& wanted) {
  if (!earlier_rows.contains(measure::alone_row))
    throw usage_error("--beside: that is no result of this benchmark");
  measure::json rows = measure::measure_interleaved(
      plan_beside(env, earlier_rows.at(measure::alone_row), one, wanted), wanted.repetition);
  for (auto& [column, cell] : rows.at(one.name).items())
    measure::add_hidden_fraction(cell, earlier_rows, column);
  return rows;
}

}  // namespace plait::bench::exchange
