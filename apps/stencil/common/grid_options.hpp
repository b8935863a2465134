// SPDX-License-Identifier: BSD-3-Clause
/// Describes what every program on a grid asks its user about the grid.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <plait/plait.hpp>

#include "boundary.hpp"
#include "domain.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/gather.hpp"

namespace plait::stencil {

/// The options --size, --grid and, where a program adds it, --boundary.  All members throw
/// usage_error that names the option.
struct grid_options {
  std::string size = "512x512x64";
  std::string grid = "0x0x0";
  std::string edge = "dirichlet";

  void add_to(measure::command_line& to,
              const std::string& grid_help = "Processes, as PXxPYxPZ; 0 = choose");
  void add_boundary_to(measure::command_line& to);

  [[nodiscard]] std::array<std::int64_t, 3> cells() const;
  [[nodiscard]] std::array<int, 3> processes() const;
  [[nodiscard]] boundary beyond() const;
  /// Returns the grid over so many ranks.  Errors: as the constructor of `domain`, too.
  [[nodiscard]] domain over(int ranks) const;
};

/// Returns what a result says of the grid that was asked for: "size", "boundary", "grid".
[[nodiscard]] measure::json to_json(const domain& whole);

/// Errors: usage_error where the ranks of a host need more memory than it has, for so many arrays
/// of the first block, the largest.  Collective.
void check_memory(environment& env, const domain& whole, int arrays);

}  // namespace plait::stencil
