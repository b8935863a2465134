// SPDX-License-Identifier: BSD-3-Clause
/// One session: all contestants and what they are held against, in turns, in every cell.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "contestants.hpp"
#include "measure/rows/measured_rows.hpp"

namespace plait::bench::progress_sweep {

struct sweep_options {
  std::vector<double> tasks_s;  ///< lengths of a task; 0: the work of a step is one
  std::vector<std::size_t> sizes;
  std::vector<int> flights;
  std::vector<step_contestant> contestants;
  double work_ratio = 1.0;       ///< computation by communication alone
  double least_step_s = 2e-3;    ///< of computation
  double longest_step_s = 0.25;  ///< cells whose steps would take longer are left out
  double run_s = 0.08;           ///< about how long one measurement takes
  int workers = 1;
  measure::repetition_options repetition;
};

struct sweep_result {
  measure::json rows;      ///< on rank 0
  measure::json left_out;  ///< by cell, why
};

/// Collective.
[[nodiscard]] sweep_result measure(environment& env, const sweep_options& wanted);

/// "10us", "1ms"; "whole" of 0.
[[nodiscard]] std::string task_label(double task_s);

}  // namespace plait::bench::progress_sweep
