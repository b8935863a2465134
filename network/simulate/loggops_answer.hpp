// SPDX-License-Identifier: BSD-3-Clause
/// The answer in the dialect `loggops`: one row.
#pragma once

#include <nlohmann/json.hpp>
#include <plait/simulate/loggops.hpp>
#include <plait/simulate/program.hpp>

namespace plait::network::simulate {

/// Runs the program, or one rank of it where all are alike, and says what its time consists of, how
/// that changes, and what it tolerates. Errors: `usage_error`, a line for each operation that was
/// left over.
[[nodiscard]] nlohmann::ordered_json loggops_row(
    const plait::simulate::program& whole, const plait::simulate::loggops_parameters& network);

/// Prints the row.
void print_row(const nlohmann::ordered_json& row);

/// Prints each rank's finish time as LogGOPSim would, and to standard error what never ran.
/// Errors: `usage_error` where LogGOPSim prints no times: receives or messages were left over.
void print_finish(const plait::simulate::program& what,
                  const plait::simulate::loggops_parameters& network);

}  // namespace plait::network::simulate
