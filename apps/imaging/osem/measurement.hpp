// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants and what they are held against, in turns, and the result of it.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/base/session_options.hpp"
#include "variant.hpp"

namespace osem {

struct session_choice {
  std::vector<std::string> variants;
  int iterations = 4;  ///< each an update with every subset
  int slabs = 0;       ///< 0 = choose
  runtime_options runtime;
  std::string image_file;  ///< for the image; empty: none
};

/// Runs the session and writes the result.  `wanted.steps` is not looked at.  What is wrong with a
/// result is printed on standard error.  Returns the exit code.  Collective.
[[nodiscard]] int measure(plait::environment& env, const scan& what, const variant_list& all,
                          const session_choice& chosen,
                          const plait::measure::session_options& wanted);

}  // namespace osem
