// SPDX-License-Identifier: BSD-3-Clause
/// Compressing a file for its own sake, or again and again to compare variants.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/base/session_options.hpp"
#include "variant.hpp"

namespace compress {

/// Compresses the file by tasks, once, and gives the output its name.  Returns a result with the
/// one variant.  Collective.
[[nodiscard]] plait::measure::outcome compress_file(plait::environment& env, archive& a,
                                                    const runtime_options& how, bool replaces,
                                                    bool says_how_far);

/// The results of several files as one: sums, and a row of "files" for each.
[[nodiscard]] plait::measure::json joined(plait::measure::json all,
                                          const plait::measure::json& next);

/// Prints sizes and times of a result of either kind.
void print_table(const plait::measure::json& result);

/// Runs these variants of the list in turns, and writes the result; keeps no output.  Returns the
/// exit code.  Collective.
[[nodiscard]] int measure(plait::environment& env, archive& a, const variant_list& all,
                          const std::vector<std::string>& variants, const runtime_options& how,
                          const plait::measure::session_options& wanted);

}  // namespace compress
