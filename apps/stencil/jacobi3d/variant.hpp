// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to do `steps` Jacobi steps on all ranks.
#pragma once

#include <memory>

#include <plait/plait.hpp>

#include "device/options.hpp"
#include "measure/compare/task_run.hpp"
#include "measure/compare/variant.hpp"
#include "measure/load/service_core.hpp"
#include "problem.hpp"
#include "tasks/tile_shape.hpp"

namespace jacobi3d {

/// Holds what the command line says beside the problem; only tasks need it.
struct options {
  plait::runtime_options runtime = {};
  int asked_depth = 0;     ///< of tiles; 0: choose
  tile_shape tile = {};    ///< of the variants `tiles` and `tiles_ideal`
  bool on_device = false;  ///< whether the variants are the rows on a device
  device_options device = {};
};

using variant = plait::measure::variant<problem>;

[[nodiscard]] std::unique_ptr<variant> make_base(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_olap(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_split(plait::environment& env);
/// Isolated, its computation alone.  `step`: what is known of a step when a run begins.
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env,
                                                  const plait::runtime_options& how,
                                                  setting solves = setting::distributed,
                                                  const plait::measure::known_step& step = {});
/// Several steps through cells while they are in the cache; isolated, its computation alone.
[[nodiscard]] std::unique_ptr<variant> make_tiles(plait::environment& env, const options& chosen,
                                                  setting solves);
[[nodiscard]] std::unique_ptr<variant> make_ideal();

}  // namespace jacobi3d
