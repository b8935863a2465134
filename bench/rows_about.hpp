// SPDX-License-Identifier: BSD-3-Clause
/// The lines that a result has about the rows it compares.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "measure/base/result.hpp"

namespace plait::bench {

/// Returns what `about` says of the rows `wanted`, and of the row `ideal`, which always runs.
[[nodiscard]] inline measure::json rows_about(const measure::json& about,
                                              const std::vector<std::string>& wanted,
                                              const std::string& ideal) {
  measure::json chosen = measure::json::object();
  for (const auto& [name, words] : about.items())
    if (name == ideal || std::ranges::count(wanted, name) > 0) chosen[name] = words;
  return chosen;
}

}  // namespace plait::bench
