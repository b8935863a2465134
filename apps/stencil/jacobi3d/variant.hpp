// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to do `steps` Jacobi steps on all ranks.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

#include "measure/session_options.hpp"
#include "measure/task_run.hpp"
#include "measure/variant.hpp"
#include "problem.hpp"
#include "tasks/tile_shape.hpp"

namespace jacobi3d {

/// Holds what the command line says beside the problem; only tasks need it.
struct options {
  plait::measure::task_options tasks;
  int time_tile = 0;     ///< steps of a tile that were asked for; 0 = choose
  tile_shape tile = {};  ///< of the variants `tiles` and `tiles_ideal`
};

using variant = plait::measure::variant<problem>;

[[nodiscard]] std::unique_ptr<variant> make_base(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_olap(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_tiles(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_ideal();
[[nodiscard]] std::unique_ptr<variant> make_tiles_ideal(plait::environment& env,
                                                        const options& chosen);

inline constexpr std::array<std::string_view, 6> variant_names{"base",  "olap",  "plait",
                                                               "tiles", "ideal", "tiles_ideal"};
/// Returns whether a variant takes several steps through cells while they are in the cache.
[[nodiscard]] constexpr bool has_tiles(std::string_view name) noexcept {
  return name == "tiles" || name == "tiles_ideal";
}

/// Measures all variants and what they are held against, in turns, and writes the result.  Returns
/// the exit code.  Collective.
[[nodiscard]] int measure(plait::environment& env, const plait::decomposition<3>& blocks,
                          const std::vector<std::string>& variants, const options& chosen,
                          const plait::measure::session_options& wanted);

}  // namespace jacobi3d
