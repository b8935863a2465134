// SPDX-License-Identifier: BSD-3-Clause
// The words of the program's command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "plan.hpp"
#include "priority.hpp"

namespace plait::network::noise {

/// The user's choice.
struct request {
  std::vector<burst_plan> plans;
  precedence how = precedence::automatic;
  nanoseconds counting{};  ///< 0: the share is not verified
  std::optional<nanoseconds> time;
  std::optional<pid_t> parent;
  std::string json_file;
};

/// Returns the request, or nothing where only help was wanted, which is printed.
/// Errors: `refused`, one line.
[[nodiscard]] std::optional<request> parse(int argc, char** argv);

}  // namespace plait::network::noise
