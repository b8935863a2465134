// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "measure/base/size_list.hpp"
#include "measure/rows/alone.hpp"
#include "measure/rows/row_limits.hpp"

namespace plait::bench::progress_sweep {
namespace {

std::string column_of(const step_load& what) {
  return fmt::format("{} x{} {}", measure::size_label(what.size_bytes), what.flights,
                     task_label(what.task_s));
}

measure::json remarks_of(const step_load& what) {
  return {{"size_bytes", what.size_bytes}, {"flights", what.flights}, {"task_s", what.task_s},
          {"work_units", what.units},      {"pieces", what.pieces},   {"steps", what.steps}};
}

class sweep {
 public:
  sweep(environment& env, const sweep_options& wanted)
      : env_(env), wanted_(wanted), grid_(measure::initial_values(grid_blocks)) {
    unit_s_ = measure::slowest_s(env, 9, [] { return measure::unit_seconds(0.01, grid_blocks); });
    for (const std::size_t size : wanted.sizes) {
      for (const int flights : wanted.flights) plan_messages(size, flights);
    }
  }

  [[nodiscard]] const std::vector<measure::measurement>& plan() const noexcept { return plan_; }
  [[nodiscard]] const measure::json& left_out() const noexcept { return left_out_; }

 private:
  void plan_messages(std::size_t size, int flights) {
    step_load what{.size_bytes = size, .flights = flights, .workers = wanted_.workers};
    const double exchange_s = calibrated_exchange_s(what);
    for (const double task_s : wanted_.tasks_s) {
      what.task_s = task_s;
      plan_cell(what, exchange_s);
    }
  }

  // Returns the time that the messages of a step take alone.  Measured once where it is long.
  double calibrated_exchange_s(step_load what) {
    const auto measured = [&](int times, int steps) {
      what.steps = steps;
      return measure::slowest_s(env_, times, [&] {
        return communication_alone_s(env_, {what, grid_});
      });
    };
    const double once_s = measured(1, 1);
    return once_s > 0.05 ? once_s : measured(5, 4);
  }

  void plan_cell(step_load what, double exchange_s) {
    const double computation_s =
        std::max({wanted_.work_ratio * exchange_s, wanted_.least_step_s, what.task_s});
    what.units = std::max(1L, std::lround(computation_s / unit_s_));
    if (what.task_s > 0) {
      const long pieces = std::lround(computation_s / what.task_s);
      what.pieces = static_cast<int>(std::clamp(pieces, 1L, what.units));
    }
    const double step_s = std::max(computation_s, exchange_s);
    const std::string column = column_of(what);
    if (step_s > wanted_.longest_step_s) {
      left_out_[column] = fmt::format("a step takes {:.2g} s, more than --longest-step-ms", step_s);
      return;
    }
    what.steps = 2 * static_cast<int>(std::clamp(std::ceil(wanted_.run_s / step_s / 2), 1.0, 5e4));
    add(column, {what, grid_}, exchange_s);
  }

  void add(const std::string& column, const step_run& run, double exchange_s) {
    const measure::json remarks = remarks_of(run.what);
    plan_.push_back(measure::measure_alone(
        env_, column, exchange_s,
        {[this, run] { return communication_alone_s(env_, run); },
         [this, run] { return computation_alone_s(env_, run); },
         [this, run, exchange_s] { return transport_s(env_, run, exchange_s); }},
        remarks));
    for (const step_contestant& one : wanted_.contestants)
      plan_.push_back(measure::measurement_of(env_, one, column, run, remarks));
  }

  environment& env_;
  const sweep_options& wanted_;
  values grid_;
  double unit_s_ = 0;
  std::vector<measure::measurement> plan_;
  measure::json left_out_ = measure::json::object();
};

}  // namespace

std::string task_label(double task_s) {
  if (task_s == 0) return "whole";
  return task_s < 1e-3 ? fmt::format("{:g}us", 1e6 * task_s) : fmt::format("{:g}ms", 1e3 * task_s);
}

sweep_result measure(environment& env, const sweep_options& wanted) {
  const sweep cells(env, wanted);
  if (cells.plan().empty())
    throw usage_error("every cell is left out: its steps take longer than --longest-step-ms");
  measure::json rows = measure::measure_interleaved(cells.plan(), wanted.repetition);
  measure::add_limits(rows);
  return {std::move(rows), cells.left_out()};
}

}  // namespace plait::bench::progress_sweep
