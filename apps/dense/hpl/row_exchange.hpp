// SPDX-License-Identifier: BSD-3-Clause
/// The exchange of rows before an update, in plain MPI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "system.hpp"

namespace hpl {

/// Returns whether rows of so many columns are exchanged in pairs rather than rolled.
[[nodiscard]] inline bool exchanges_in_pairs(const settings& how, std::int64_t columns) {
  return how.swap == swapping::exchange ||
         (how.swap == swapping::mixed && columns <= how.swap_threshold);
}

/// Applies panels, with the exchange of rows that this takes, blocking.
class updater {
 public:
  explicit updater(linear_system& system);
  /// Applies a panel to `count` columns from `column` on.
  void apply(const panel_place& at, std::span<const double> done, std::int64_t column,
             std::int64_t count);
  /// The messages of that alone.
  void exchange(const panel_place& at, std::int64_t count);
  /// Stops rows from being exchanged: for computation alone.
  void stay_alone() { alone_ = true; }

 private:
  linear_system& system_;
  bool alone_ = false;
  std::vector<double> in_;
  std::vector<double> out_;
};

}  // namespace hpl
