// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants and what they are held against, in turns, and the result of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/session_options.hpp"
#include "variant.hpp"

namespace poisson {

struct session_choice {
  std::vector<std::string> variants;
  options how;
  std::optional<plait::model::parameters> network;
};

/// Measures all variants and what they are held against, in turns, and writes the result.  Returns
/// the exit code.  Errors: usage_error where there is nothing to solve.  Collective.
[[nodiscard]] int measure(plait::environment& env, const domain& whole,
                          const session_choice& chosen,
                          const plait::measure::session_options& wanted);

}  // namespace poisson
