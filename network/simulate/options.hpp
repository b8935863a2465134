// SPDX-License-Identifier: BSD-3-Clause
/// The command line of `simulate`.
#pragma once

#include <optional>
#include <string>

#include <plait/simulate/loggops.hpp>

namespace plait::network::simulate {

/// What is asked for.
struct request {
  std::string file;
  plait::simulate::loggops_parameters loggops;
  bool finish = false;              ///< print finish times, and nothing else
  std::string json_file;            ///< for the result; empty: none
  std::string goal_file;            ///< to write the program to, as text
  std::string binary_file;          ///< to write the program to, in the binary form
  std::string linear_program_file;  ///< to write the frozen order to
};

/// Returns the request; none after --help.  Errors: `usage_error`.
[[nodiscard]] std::optional<request> parse(int argc, char** argv);

}  // namespace plait::network::simulate
