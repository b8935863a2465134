// SPDX-License-Identifier: BSD-3-Clause
/// Interleaved repetitions of several implementations, and the result they end in.  Not here:
/// what is measured.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plait::bench {

using json = nlohmann::ordered_json;

/// One implementation under one condition ("openmp", "workers_2"), and what one repetition of it
/// returns: an object of figures, the unit in the name ("ns_per_task"), the headline first.
struct measurement {
  std::string row;
  std::string column;
  std::function<json()> repeat_once;
  json remarks = json::object();  ///< written beside the figures, as they are
};

struct repetition_options {
  int repeat = 5;
  bool progress = false;  ///< `@progress {…}` lines on standard error
  bool warm_up = false;   ///< one round before those that count
};

/// Measures A B C A B C …, `repeat` times.  Returns the result file's "rows":
/// rows[row][column][figure] = {"median", "q1", "q3", "samples"}.  Collective where `repeat_once`
/// of the measurements is: each rank then has the rows of its own figures.
[[nodiscard]] json measure_interleaved(const std::vector<measurement>& measurements,
                                       const repetition_options& options);

/// A plait-result/1 of kind "benchmark": commit, compiler, flags, host and time are filled in.
[[nodiscard]] json bench_result(const std::string& bench, json parameters, json environment,
                                json rows);

/// Checks before a long measurement that the result can be written to `path`; empty and "-" can.
/// Errors: plait::usage_error naming the path.
void check_writable(const std::string& path);

}  // namespace plait::bench
