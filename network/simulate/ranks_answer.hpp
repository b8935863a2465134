// SPDX-License-Identifier: BSD-3-Clause
/// The answer for other numbers of ranks, from recordings with several.
#pragma once

#include <functional>

#include <nlohmann/json.hpp>
#include <plait/simulate/program.hpp>

#include "options.hpp"

namespace plait::network::simulate {

struct ranks_answer {
  nlohmann::ordered_json rows;  ///< for each number of ranks those of its dialect
  nlohmann::ordered_json laws;  ///< of durations, sizes and lengths of calls
};

/// Reads all recordings, and predicts each number of ranks.  `made` is called with each program.
/// Errors: usage_error, one line: what has no known law.
[[nodiscard]] ranks_answer rows_over_ranks(
    const request& asked, const std::function<void(const plait::simulate::program&)>& made);

/// Prints the rows as a table, and the laws of the longest computations.
void print_rows_over_ranks(const ranks_answer& found);

}  // namespace plait::network::simulate
