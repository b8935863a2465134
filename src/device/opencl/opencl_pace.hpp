// SPDX-License-Identifier: BSD-3-Clause
/// Says how often the driver is asked for a callback.
#pragma once

#include <algorithm>

#include <plait/core/clock.hpp>

namespace plait::detail {

/// Callbacks are `spacing` apart, but for the `burst` that a pause saves up: short rows of commands
/// are dated exactly, and in a long row callbacks cost little beside its kernels.
class opencl_pace {
 public:
  static constexpr double spacing_s = 2e-5;  // of some ten of the shortest kernels
  static constexpr ticks burst = 16;

  [[nodiscard]] bool is_time(ticks now, ticks spacing) noexcept {
    const ticks earliest = std::max(next_, now - burst * spacing);
    if (earliest > now) return false;
    next_ = earliest + spacing;
    return true;
  }

 private:
  ticks next_ = 0;  ///< as if all were `spacing` apart
};

}  // namespace plait::detail
