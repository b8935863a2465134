// SPDX-License-Identifier: BSD-3-Clause
/// Rows and columns of processes, as a command line names them.
#pragma once

#include <string>

namespace plait::measure {

/// "2x3" as rows and columns; 0 = choose.
struct grid_shape {
  int rows = 0;
  int columns = 0;
};
/// Errors: usage_error naming `option`.
[[nodiscard]] grid_shape parse_grid_shape(const std::string& option, const std::string& text);

}  // namespace plait::measure
