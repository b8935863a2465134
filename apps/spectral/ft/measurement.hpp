// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants and what they are held against, in turns, and the result of it.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/base/session_options.hpp"
#include "variant.hpp"

namespace ft {

/// Holds what is transformed, and how.
struct request {
  problem_class what;
  spectral::rank_grid grid = {};
  index tile = 0;
};

/// Runs the session of these variants of the list.  What is wrong with a result is printed on
/// standard error, one line for each rank and variant.  Collective.
[[nodiscard]] int measure(plait::environment& env, const request& wanted,
                          const spectral::pencils& shape, const variant_list& all,
                          const std::vector<std::string>& variants, const options& chosen,
                          const plait::measure::session_options& asked);

}  // namespace ft
