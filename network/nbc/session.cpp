// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "measure/base/gather.hpp"
#include "measure/base/size_list.hpp"
#include "measure/base/statistics.hpp"
#include "measure/rows/alone.hpp"
#include "measure/rows/network_options.hpp"
#include "processor_share.hpp"
#include "row.hpp"

namespace plait::network::nbc {
namespace {

using measure::json;
using measure::measurement;

// Returns the time of the blocking call, the same on every rank: the median of a few short
// measurements.
double calibrated_s(environment& env, const operation& what, std::size_t size_bytes) {
  buffers data(what, size_bytes, native(env));
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i)
    seconds.push_back(measure::maximum(env, blocking_alone_s(env, data, 4)));
  return measure::median(seconds);
}

int pieces_of(std::size_t size_bytes, const session_options& wanted) {
  if (!wanted.test_bytes) return wanted.pieces;
  const std::size_t tests = (size_bytes + *wanted.test_bytes - 1) / *wanted.test_bytes;
  return static_cast<int>(std::min<std::size_t>(tests, 1'000'000));
}

collective_load load_of(const operation& what, std::size_t size_bytes, double blocking_s,
                        double unit_s, const session_options& wanted) {
  const double work_s = wanted.work_ratio * blocking_s;
  collective_load load{.what = &what, .size_bytes = size_bytes};
  load.units = std::max(1L, std::lround(work_s / unit_s));
  load.pieces = measure::pieces_for(work_s, pieces_of(size_bytes, wanted));
  // Blocking call, work, pure call and both together make up a step of a row.
  const double step_s = 3 * blocking_s + 2 * work_s;
  load.steps = static_cast<int>(std::clamp(wanted.sample_s / step_s, 5.0, 1e4));
  return load;
}

// Communication, work and transport without each other, and what follows from them.
measure::json measure_alone(environment& env, const collective_load& load) {
  buffers data(*load.what, load.size_bytes, native(env));
  measure::cut_work work(load.units, load.pieces);
  const double blocking_s = measure::maximum(env, blocking_alone_s(env, data, load.steps));
  const double computation_s =
      measure::maximum(env, measure::computation_alone_s(env, work, load.steps));
  measure::json figures{{"communication_us", 1e6 * blocking_s},
                        {"computation_us", 1e6 * computation_s}};
  if (!measure::transport_is_measurable(blocking_s)) return figures;
  const double own_s = measure::transport_s(
      env, [&] { call_sparsely(data); }, blocking_s);
  const double cpu_s = measure::sum(env, own_s) / env.size();
  if (!std::isfinite(cpu_s)) return figures;
  figures["transport_cpu_us"] = 1e6 * cpu_s;
  figures["transport_percent"] = 100 * cpu_s / blocking_s;
  figures["attainable_overlap_percent"] =
      measure::attainable_overlap_percent(blocking_s, computation_s, cpu_s);
  return figures;
}

measure::json remarks_of(const collective_load& load) {
  return {{"op", std::string(load.what->name)},
          {"size_bytes", load.size_bytes},
          {"work_units", load.units},
          {"pieces", load.pieces},
          {"steps", load.steps}};
}

void plan_case(std::vector<measure::measurement>& plan, environment& env,
               const collective_load& load, const session_options& wanted,
               const communicators& groups) {
  const std::string column =
      fmt::format("{} {}", load.what->name, measure::size_label(load.size_bytes));
  const measure::json remarks = remarks_of(load);
  plan.push_back({measure::alone_row, column,
                  [&env, load] {
                    measure::json figures = measure_alone(env, load);
                    return env.rank() == 0 ? figures : measure::json::object();
                  },
                  remarks});
  for (const named_way& each : wanted.ways) {
    if (!each.among_neighbours && has_neighbours(*load.what)) continue;
    measure::json own = remarks;
    own["verified"] = true;  // else the measurement throws
    plan.push_back(
        {each.name, column, [&env, each, load] { return measure_row(env, each, load); }, own});
  }
  for (std::size_t i = 0; i < groups.counts().size(); ++i) {
    measure::json own = remarks;
    own["ranks"] = groups.counts()[i];
    plan.push_back({fmt::format("processor, {} ranks", groups.counts()[i]), column,
                    [&env, load, group = groups.at(i), sample_s = wanted.sample_s / 2] {
                      return measure_processor_share(env, *load.what, load.size_bytes, group,
                                                     sample_s);
                    },
                    own});
  }
}

}  // namespace

measure::json measure(environment& env, const session_options& wanted) {
  const communicators groups(env, wanted.communicator_sizes);
  env.barrier();
  const double unit_s = measure::maximum(env, measure::unit_seconds(0.05));
  std::vector<measure::measurement> plan;
  for (const operation* what : wanted.operations) {
    for (const std::size_t size : wanted.sizes) {
      const double blocking_s = calibrated_s(env, *what, size);
      plan_case(plan, env, load_of(*what, size, blocking_s, unit_s, wanted), wanted, groups);
    }
  }
  return measure::measure_interleaved(plan, wanted.repetition);
}

}  // namespace plait::network::nbc
