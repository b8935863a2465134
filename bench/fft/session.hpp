// SPDX-License-Identifier: BSD-3-Clause
/// One session: all contests, their rows in turns.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "contest.hpp"
#include "measure/rows/measured_rows.hpp"

namespace plait::bench::fft {

inline constexpr const char* base_row = "base";
inline constexpr const char* ideal_row = "ideal";

struct request {
  std::vector<std::string> programs;  ///< any of "ft" and "fft3d"
  std::vector<ft::problem_class> classes;
  std::vector<std::string> rows;  ///< names
  setup how;
  double link_rate_Bps = 0;  ///< payload rate of the link between hosts; 0 = not known
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
[[nodiscard]] double memory_bytes(const request& wanted, int ranks);

}  // namespace plait::bench::fft
