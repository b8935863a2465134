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
#include "measure/rows/overlap_figures.hpp"

namespace plait::network::overlap {
namespace {

using measure::json;

// More than any sweep takes whose iterations are as long as their work.
constexpr int most_points = 40;

struct message_load {
  direction which = direction::send;
  std::size_t size_bytes = 0;
  double alone_s = 0;  ///< about how long the message takes
  double unit_s = 0;
  int pieces = 1;
  int steps = 1;  ///< of each amount of work
};

// Rank 0's seconds of a step, on both ranks.  The median over the steps, where SMB has the mean:
// one step that loses its processor to something else would end the sweep.
double iteration_s(environment& env, message& data, way& how, measure::cut_work& what, int steps) {
  std::vector<double> seconds;
  for (int i = 0; i < steps; ++i) {
    data.prepare();
    env.barrier();
    const ticks start = now_ticks();
    if (env.rank() == 0) {
      how.beside(what);
    } else {
      how.opposite();
    }
    seconds.push_back(ticks_to_seconds(now_ticks() - start));
    if (i == 0 || i == steps - 1) data.expect_right();
  }
  (void)what.take_seconds();
  return measure::maximum(env, env.rank() == 0 ? measure::median(seconds) : 0);
}

// Returns the seconds of a step of rank 0's work alone.
double own_work_s(environment& env, measure::cut_work& what, int steps) {
  std::vector<double> seconds{0};
  env.barrier();
  if (env.rank() == 0) {
    what.run();
    (void)what.take_seconds();
    seconds.clear();
    for (int i = 0; i < steps; ++i) {
      what.run();
      seconds.push_back(what.take_seconds());
    }
  }
  return measure::maximum(env, measure::median(seconds));
}

measure::cut_work work_of(double work_s, const message_load& load) {
  return {std::lround(work_s / load.unit_s), measure::pieces_for(work_s, load.pieces)};
}

measure::json measure_row(environment& env, const named_way& how, const message_load& load) {
  message data(env, load.which, load.size_bytes);
  measure::work_sweep sweep;
  double work_s = 0;
  {
    const auto running = how.make(env, data);
    measure::cut_work none(0, 1);
    (void)iteration_s(env, data, *running, none, 2);
    for (int point = 0; point < most_points && !sweep.done(); ++point) {
      work_s = sweep.next_work_s();
      measure::cut_work work = work_of(work_s, load);
      sweep.add(iteration_s(env, data, *running, work, load.steps));
    }
  }
  measure::cut_work last = work_of(work_s, load);
  work_s = own_work_s(env, last, load.steps);
  if (env.rank() != 0) return measure::json::object();
  return {{"availability_percent",
           measure::availability_percent(sweep.base_s(), sweep.iteration_s(), work_s)},
          {"overhead_us", 1e6 * (sweep.iteration_s() - work_s)},
          {"base_us", 1e6 * sweep.base_s()},
          {"work_us", 1e6 * work_s},
          {"iteration_us", 1e6 * sweep.iteration_s()}};
}

// Processor time of the transport on rank 0, and what of the message it leaves to the program.
measure::json measure_transport(environment& env, const message_load& load) {
  message data(env, load.which, load.size_bytes);
  const double own_s = measure::transport_s(
      env, [&] { transfer_sparsely(env, data); }, load.alone_s);
  if (env.rank() != 0 || !std::isfinite(own_s)) return measure::json::object();
  return {{"transport_cpu_us", 1e6 * own_s},
          {"attainable_percent", std::max(0.0, 100 * (1 - own_s / load.alone_s))}};
}

// Returns the load of such messages.  The time of one by itself is the median of a few short
// measurements, the same on both ranks.
message_load calibrated(environment& env, direction which, std::size_t size_bytes, double unit_s,
                        const session_options& wanted) {
  message data(env, which, size_bytes);
  const auto running = all_ways().front().make(env, data);
  measure::cut_work none(0, 1);
  std::vector<double> seconds;
  for (int i = 0; i < 4; ++i) seconds.push_back(iteration_s(env, data, *running, none, 4));
  seconds.erase(seconds.begin());
  message_load load{.which = which, .size_bytes = size_bytes, .unit_s = unit_s};
  load.alone_s = measure::median(seconds);
  load.pieces = wanted.pieces;
  // Some ten amounts of work, from none to one and a half times the message.
  load.steps = static_cast<int>(std::clamp(wanted.sample_s / (15 * load.alone_s), 5.0, 2000.0));
  return load;
}

measure::json remarks_of(const message_load& load) {
  return {{"direction", std::string(to_string(load.which))},
          {"size_bytes", load.size_bytes},
          {"pieces", load.pieces},
          {"steps", load.steps}};
}

void plan_case(std::vector<measure::measurement>& plan, environment& env, const message_load& load,
               const session_options& wanted) {
  const std::string column =
      fmt::format("{} {}", to_string(load.which), measure::size_label(load.size_bytes));
  if (measure::transport_is_measurable(load.alone_s))
    plan.push_back({measure::alone_row, column,
                    [&env, load] { return measure_transport(env, load); }, remarks_of(load)});
  for (const named_way& each : wanted.ways)
    plan.push_back({each.name, column, [&env, each, load] { return measure_row(env, each, load); },
                    remarks_of(load)});
}

}  // namespace

measure::json measure(environment& env, const session_options& wanted) {
  env.barrier();
  const double unit_s = measure::maximum(env, measure::unit_seconds(0.05));
  std::vector<measure::measurement> plan;
  for (const direction which : {direction::send, direction::receive}) {
    for (const std::size_t size : wanted.sizes)
      plan_case(plan, env, calibrated(env, which, size, unit_s, wanted), wanted);
  }
  return measure::measure_interleaved(plan, wanted.repetition);
}

}  // namespace plait::network::overlap
