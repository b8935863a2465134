// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants and what they are held against, in turns, and the result of it.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "common/dealing.hpp"
#include "measure/session_options.hpp"
#include "variant.hpp"

namespace spmv {

/// Holds what is known of the matrix before it is dealt; on rank 0.
struct description {
  std::string name;
  bool symmetric = false;
  std::string dealing;
  /// By way of dealing, the one that is used among them.
  std::vector<std::pair<std::string, plait::sparse::burden>> burdens;
};

/// Runs the session of these variants of the list, and writes the result.  What is wrong with a
/// result is printed on standard error, one line for each rank and variant.  Returns the exit code.
/// Collective.
[[nodiscard]] int measure(plait::environment& env, problem& p, const description& about,
                          const variant_list& all, const std::vector<std::string>& variants,
                          const options& chosen, const plait::measure::session_options& wanted);

}  // namespace spmv
