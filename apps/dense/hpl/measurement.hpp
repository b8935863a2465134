// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants and what they are held against, in turns, and the result of it.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/session_options.hpp"
#include "variant.hpp"

namespace hpl {

/// Runs the session.  What is wrong with a result is printed on standard error, one line for each
/// rank and variant.  Collective.  Errors: singular_matrix.
[[nodiscard]] plait::measure::outcome measure(plait::environment& env, const settings& how,
                                              const std::vector<std::string>& variants,
                                              const options& chosen,
                                              const plait::measure::session_options& wanted);

/// A column without a pivot: the same on every rank.
class singular_matrix : public plait::error {
 public:
  using error::error;
};

/// Returns netlib's rate of a run: (2 N^3 / 3 + 3 N^2 / 2) / t.
[[nodiscard]] double gflops(std::int64_t n, double seconds);

}  // namespace hpl
