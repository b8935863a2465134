// SPDX-License-Identifier: BSD-3-Clause
/// The variants: each policy's way to do `steps` steps on all ranks.
#pragma once

#include <cstdint>
#include <memory>

#include <plait/plait.hpp>

#include "measure/compare/variant.hpp"
#include "measure/load/slow_worker.hpp"
#include "policy.hpp"
#include "problem.hpp"

namespace redblack3d {

/// A variant whose reports have two figures, the paper's columns.  wait_s: in the exchange, from
/// its start or, where it is overlapped, while nothing else is done, to its end, packing included;
/// compute_s: in sweeps, the threads' barrier included.  Of tasks: posting and exposed, and
/// compute, the mean over workers.  And a word, progress: who drives messages.
using variant = plait::measure::variant<problem>;
using plait::measure::run_report;
using plait::measure::slow_worker;

[[nodiscard]] std::unique_ptr<variant> make_hand(plait::environment& env, slow_worker slow);
[[nodiscard]] std::unique_ptr<variant> make_ideal(slow_worker slow);
/// Makes MT(k), whose mover sends at most `message_cells` cells in a message between nodes; 0: a
/// face is one message.
[[nodiscard]] std::unique_ptr<variant> make_multi_tier(plait::environment& env, const policy& how,
                                                       slow_worker slow,
                                                       std::int64_t message_cells);
/// Isolated, its computation alone.
[[nodiscard]] std::unique_ptr<variant> make_tasks(plait::environment& env, const policy& how,
                                                  slow_worker slow, std::int64_t message_cells,
                                                  setting solves = setting::distributed);

}  // namespace redblack3d
