// SPDX-License-Identifier: BSD-3-Clause
/// Reads environment variables.
#pragma once

#include <cstdlib>
#include <string>

namespace plait {

/// Returns the text of the environment variable; empty where it is not set.
[[nodiscard]] inline std::string environment_variable(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

}  // namespace plait
