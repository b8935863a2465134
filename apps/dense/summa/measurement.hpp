// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants and what they are held against, in turns, and the result of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/compare/program.hpp"
#include "variant.hpp"

namespace summa {

using plait::measure::json;

/// Measures all variants and what they are held against, in turns, writes the result, and prints it
/// with `print`.  Returns the exit code.  Collective.
[[nodiscard]] int measure(plait::environment& env, const product& what, const arrangement& where,
                          const std::vector<std::string>& variants, const options& chosen,
                          const plait::measure::session_options& wanted,
                          const std::function<void(const json&)>& print);

}  // namespace summa
