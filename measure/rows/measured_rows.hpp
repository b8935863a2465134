// SPDX-License-Identifier: BSD-3-Clause
/// Interleaved repetitions of several implementations, and the result they end in.  Not here:
/// what is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure/base/command_line.hpp"
#include "measure/base/gather.hpp"
#include "measure/compare/turns.hpp"

namespace plait::measure {

/// One implementation under one condition ("openmp", "workers_2"), and what one repetition of it
/// returns: an object of figures, the unit in the name ("ns_per_task"), the headline first.
struct measurement {
  std::string row;
  std::string column;
  std::function<json()> repeat_once;
  json remarks = json::object();  ///< written beside the figures, as they are
};

/// Measures A B C A B C …, `repeat` times.  Returns the result file's "rows":
/// rows[row][column][figure] = {"median", "q1", "q3", "samples"}.  Collective where `repeat_once`
/// of the measurements is: each rank then has the rows of its own figures.
[[nodiscard]] json measure_interleaved(const std::vector<measurement>& measurements,
                                       const repetition_options& options);

/// A plait-result/1 of kind "benchmark": commit, compiler, flags, host and time are filled in.
[[nodiscard]] json bench_result(const std::string& bench, json parameters, json environment,
                                json rows);

/// Describes what every program of rows asks its user beside what it measures.
struct row_options {
  std::int64_t repeat = 5;
  std::string json_file = {};
  bool progress = false;
};

/// Adds --repeat, --json and --progress.
void add_row_options(command_line& to, row_options& options,
                     const std::string& repeat_help = "Repetitions, interleaved");
/// Errors: usage_error on every rank.  Collective.
void check(environment& env, const row_options& options);
[[nodiscard]] repetition_options repetition_of(const row_options& options, const environment& env,
                                               bool warms_up = true);

/// Writes the result where it is wanted, and shows the rows unless it went to standard output.
/// `where`: the result's environment, beside where it was measured.  Rank 0; does nothing
/// elsewhere.
void finish_rows(const environment& env, const row_options& options, const std::string& bench,
                 json parameters, const json& where, json rows,
                 const std::string& kind = "benchmark");

/// Prints one line for each figure: column, figure, row, median and quartiles.  For whoever starts
/// a program by hand; `plait bench` has a better table.
void print_rows(const json& rows);

}  // namespace plait::measure
