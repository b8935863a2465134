// SPDX-License-Identifier: BSD-3-Clause
/// The ways to solve a problem on all ranks.
#pragma once

#include <memory>

#include <plait/plait.hpp>

#include "common/ghost_exchange.hpp"
#include "device/vectors.hpp"
#include "measure/compare/task_run.hpp"
#include "measure/compare/variant.hpp"
#include "problem.hpp"

namespace poisson {

using plait::measure::run_report;
using plait::measure::step_range;

struct options {
  plait::stencil::exchange_kind ghosts = plait::stencil::exchange_kind::mover;
  double tolerance = 1e-8;
  plait::runtime_options runtime;
  device_options device = {};  ///< of rows on a device
};

/// A run solves until the tolerance is reached, in `steps` iterations at most; its figures are
/// `iterations`, `residual` (|r| as the iteration has it) and `reduction_s` (of the exposed time,
/// for sums and not for ghosts: mean over workers).
using variant = plait::measure::variant<problem>;

[[nodiscard]] std::unique_ptr<variant> make_base(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_olap(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_pipelined(plait::environment& env,
                                                      const options& chosen);
/// The work of base in exactly `steps` iterations, without communication.
[[nodiscard]] std::unique_ptr<variant> make_ideal(plait::environment& env, const options& chosen);

/// Rows on a device: two by hand, tasks, and their kernels alone.  `chosen` outlives them.
[[nodiscard]] std::unique_ptr<variant> make_device_base(plait::environment& env,
                                                        const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_device_olap(plait::environment& env,
                                                        const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_device_plait(plait::environment& env,
                                                         const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_device_ideal(plait::environment& env,
                                                         const options& chosen);

}  // namespace poisson
