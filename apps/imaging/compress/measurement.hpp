// SPDX-License-Identifier: BSD-3-Clause
/// Compressing a file for its own sake, or again and again to compare variants.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/session_options.hpp"
#include "variant.hpp"

namespace compress {

/// Compresses the file by tasks, once, and gives the output its name.  Returns a result with the
/// one variant.  Collective.
[[nodiscard]] plait::measure::outcome compress_file(plait::environment& env, archive& a,
                                                    const options& how, bool replaces,
                                                    bool says_how_far);

/// The results of several files as one: sums, and a row of "files" for each.
[[nodiscard]] plait::measure::json joined(plait::measure::json all,
                                          const plait::measure::json& next);

/// Runs all variants in turns, and keeps no output.  Collective.
[[nodiscard]] plait::measure::outcome measure(plait::environment& env, archive& a,
                                              const std::vector<std::string>& variants,
                                              const options& how,
                                              const plait::measure::session_options& wanted);

}  // namespace compress
