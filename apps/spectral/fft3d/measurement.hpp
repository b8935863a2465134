// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants with all tile factors, in turns, and the result of it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/base/session_options.hpp"
#include "variant.hpp"

namespace fft3d {

/// Holds what is transformed, and how.
struct request {
  std::array<index, 3> cells{};
  std::vector<index> tiles;  ///< planes that travel together; empty: find the best
  spectral::planning planning = spectral::planning::measured;
};

/// Runs the session of these variants of the list, and writes the result.  Where several tile
/// factors are wanted, variants that have tiles are named after theirs, `plait@16`.  What is wrong
/// with a result is printed on standard error, one line for each rank and variant.  Returns the
/// exit code.  Collective.
[[nodiscard]] int measure(plait::environment& env, const request& wanted, const variant_list& all,
                          const std::vector<std::string>& variants, const options& chosen,
                          const plait::measure::session_options& session);

}  // namespace fft3d
