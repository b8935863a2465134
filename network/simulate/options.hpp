// SPDX-License-Identifier: BSD-3-Clause
/// The command line of `simulate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plait/simulate/loggops.hpp>

#include "dataflow_answer.hpp"

namespace plait::network::simulate {

/// A number of ranks, or a grid of them.
struct wanted_ranks {
  std::uint32_t ranks = 0;
  plait::simulate::grid_extents grid{};  ///< all 0: chosen
  friend bool operator==(const wanted_ranks&, const wanted_ranks&) = default;
};

/// Wishes of the command line.
struct request {
  std::string file;                ///< GOAL, or the folder of a recording
  std::vector<std::string> files;  ///< all; several are one program on several numbers of ranks
  bool is_loggops = true;
  dataflow_request dataflow;             ///< of the dialect `plait`
  std::optional<std::uint32_t> runtime;  ///< of a recording, the only one to take
  plait::simulate::loggops_parameters loggops;
  plait::simulate::grid_extents grid{};  ///< to put the program on; all 0: none
  std::vector<wanted_ranks> ranks;       ///< to predict from several files
  std::uint32_t ranks_of_a_node = 0;     ///< of those; 0: as recorded, of GOAL 1
  bool same_work = false;                ///< durations are those of the fewest ranks
  bool finish = false;                   ///< print finish times, and nothing else
  std::string json_file;                 ///< for the result; empty: none
  std::string goal_file;                 ///< to write the program to, as text
  std::string binary_file;               ///< to write the program to, in the binary form
  std::string linear_program_file;       ///< to write the frozen order to
};

/// Returns the request; none after --help.  Errors: `usage_error`.
[[nodiscard]] std::optional<request> parse(int argc, char** argv);

}  // namespace plait::network::simulate
