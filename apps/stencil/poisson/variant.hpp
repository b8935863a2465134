// SPDX-License-Identifier: BSD-3-Clause
/// The ways to solve a problem on all ranks.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include <plait/plait.hpp>

#include "exchange.hpp"
#include "measure/task_run.hpp"
#include "problem.hpp"

namespace poisson {

using plait::measure::run_report;
using plait::measure::step_range;

inline constexpr std::array<std::string_view, 5> variant_names{"base", "olap", "plait", "pipelined",
                                                               "ideal"};

struct options {
  exchange_kind ghosts = exchange_kind::mover;
  double tolerance = 1e-8;
  plait::measure::task_options tasks;
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
[[nodiscard]] std::unique_ptr<variant> make_ideal();

/// The variant of that name.
[[nodiscard]] std::unique_ptr<variant> make_variant(std::string_view name, plait::environment& env,
                                                    const options& chosen);

/// b·b over all ranks, in the order in which every variant adds up r·r.  `p` is reset.  Collective.
[[nodiscard]] double norm_of_start(plait::environment& env, const problem& p);

}  // namespace poisson
