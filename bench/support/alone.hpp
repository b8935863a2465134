// SPDX-License-Identifier: BSD-3-Clause
/// What contestants are held against: communication, computation and the transport's processor
/// time, each without the others.
#pragma once

#include <functional>
#include <string>

#include <plait/plait.hpp>

#include "measured_rows.hpp"

namespace plait::bench {

/// Seconds of each in one step on this rank.  All are collective.
struct alone_parts {
  std::function<double()> communication_s;
  std::function<double()> computation_s;
  std::function<double()> transport_s;  ///< see transport.hpp
};

/// The row `alone_row` in one column.  `exchange_s`: about how long an exchange takes, the same on
/// every rank; where that is too short to measure the transport, the transport is left out.
[[nodiscard]] measurement measure_alone(environment& env, const std::string& column,
                                        double exchange_s, alone_parts parts, json remarks);

/// Seconds of one of `steps` steps on this rank, after one that does not count and a barrier.
/// Collective where `step` is.
[[nodiscard]] double step_seconds(environment& env, int steps, const std::function<void()>& step);

/// What the slowest rank says, the median over `times` times.  Between them ranks wait without
/// taking a core.  Collective.
[[nodiscard]] double slowest_s(environment& env, int times,
                               const std::function<double()>& own_seconds);

/// What progress::automatic stands for here: "policy_chosen" and "policy_reason".  Collective.
[[nodiscard]] json policy_chosen(environment& env, int workers);

}  // namespace plait::bench
