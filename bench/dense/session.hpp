// SPDX-License-Identifier: BSD-3-Clause
/// One session: all problems, whose rows choose their settings and then take turns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "contestant.hpp"
#include "measure/base/grid_shape.hpp"
#include "measure/rows/measured_rows.hpp"

namespace plait::bench::dense {

struct request {
  std::vector<std::string> programs;   ///< any of "hpl" and "summa"
  std::vector<std::int64_t> orders;    ///< of the matrices
  measure::grid_shape grid = {};       ///< of as many processes as there are
  std::vector<std::string> rows = {};  ///< names
  setup how;
  measure::repetition_options repetition;
};

struct outcome {
  measure::json rows;    ///< on rank 0
  bool verified = true;  ///< the same on every rank
};

/// Runs the session.  What is wrong with a row is printed on standard error, a line for each rank.
/// Collective.
[[nodiscard]] outcome measure(environment& env, const request& wanted);

/// Memory that a rank needs, in bytes, about.
[[nodiscard]] double memory_bytes(const request& wanted);

/// The rows that this program can make, with a line of each on which calls it makes.
[[nodiscard]] std::map<std::string, std::string> known_rows(const setup& how, int ranks);
/// The names of those that it cannot, and why.
[[nodiscard]] std::map<std::string, std::string> missing_rows(const setup& how, int ranks);

}  // namespace plait::bench::dense
