// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants and what they are held against, in turns, and the result of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/compare/program.hpp"
#include "variant.hpp"

namespace hpl {

using plait::measure::json;

/// Measures all variants and what they are held against, in turns, writes the result, and prints it
/// with `print`.  Returns the exit code.  Collective.  Errors: singular_matrix.
[[nodiscard]] int measure(plait::environment& env, const settings& how,
                          const std::vector<std::string>& variants, const options& chosen,
                          const plait::measure::session_options& wanted,
                          const std::function<void(const json&)>& print);

/// A column without a pivot: the same on every rank.
class singular_matrix : public plait::error {
 public:
  using error::error;
};

/// Returns the floating-point operations of a run, as netlib counts: 2 N^3 / 3 + 3 N^2 / 2.
[[nodiscard]] double operations(std::int64_t n);

}  // namespace hpl
