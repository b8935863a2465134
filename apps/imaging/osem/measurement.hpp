// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants and what they are held against, in turns, and the result of it.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/session_options.hpp"
#include "variant.hpp"

namespace osem {

struct session_choice {
  std::vector<std::string> variants;
  int iterations = 4;  ///< each an update with every subset
  int slabs = 0;       ///< 0 = choose
  options how;
  std::string image_file;  ///< for the image; empty: none
};

/// Runs the session.  `wanted.steps` is not looked at.  What is wrong with a result is printed on
/// standard error.  Collective.
[[nodiscard]] plait::measure::outcome measure(plait::environment& env, const scan& what,
                                              const session_choice& chosen,
                                              const plait::measure::session_options& wanted);

}  // namespace osem
