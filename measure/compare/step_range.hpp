// SPDX-License-Identifier: BSD-3-Clause
/// Consecutive steps of a run.
#pragma once

namespace plait::measure {

/// The steps first, first + 1, …, last - 1.
struct step_range {
  int first = 0;
  int last = 0;

  [[nodiscard]] constexpr int size() const noexcept { return last - first; }
  [[nodiscard]] constexpr bool contains(int step) const noexcept {
    return first <= step && step < last;
  }
};

}  // namespace plait::measure
