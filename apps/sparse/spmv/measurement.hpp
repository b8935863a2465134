// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants and what they are held against, in turns, and the result of it.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "chosen_matrix.hpp"
#include "measure/base/session_options.hpp"
#include "variant.hpp"

namespace spmv {

/// Runs the session of these variants of the list, and writes the result.  What is wrong with a
/// result is printed on standard error, one line for each rank and variant.  Returns the exit code.
/// Collective.
[[nodiscard]] int measure(plait::environment& env, problem& p, const description& about,
                          const variant_list& all, const std::vector<std::string>& variants,
                          const options& chosen, const plait::measure::session_options& wanted);

}  // namespace spmv
