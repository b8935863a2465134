// SPDX-License-Identifier: BSD-3-Clause
/// Describes what contestants are held against: communication, computation and the transport's
/// processor time, each without the others.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measured_rows.hpp"

namespace plait::measure {

/// Seconds of each in one step on this rank.  All are collective.
struct alone_parts {
  std::function<double()> communication_s;
  std::function<double()> computation_s;
  std::function<double()> transport_s;  ///< see transport_s below
};

/// The row `alone_row` in one column.  `exchange_s`: about how long an exchange takes, the same on
/// every rank; where that is too short to measure the transport, the transport is left out.
[[nodiscard]] measurement measure_alone(environment& env, const std::string& column,
                                        double exchange_s, alone_parts parts, json remarks);

/// An exchange, as it stands alone; the second sleeps so long whenever it has found nothing to do.
struct exchange_alone {
  std::function<void()> exchange;
  std::function<void(std::chrono::microseconds)> exchange_sparsely;
};

/// The row `alone_row` in one column, of sessions whose computation alone is a row of its own: see
/// add_limits_by.  A repetition measures `times` exchanges.  Collective.
[[nodiscard]] measurement measure_exchange(environment& env, const std::string& column, int times,
                                           exchange_alone what, json remarks);

/// Adds the totals of the row `ideal` to the row `alone_row` as its computation, then limits, and
/// what those of `hiding` that there are hide of the row `base`.
void add_limits_by(json& rows, const std::string& ideal, const std::string& base,
                   const std::vector<std::string>& hiding);

/// Seconds of one of `steps` steps on this rank, after one that does not count and a barrier.
/// Collective where `step` is.
[[nodiscard]] double step_seconds(environment& env, int steps, const std::function<void()>& step);

/// Returns what the slowest rank says, the median over `times` times.  Between them ranks wait
/// without taking a core.  Collective.
[[nodiscard]] double slowest_s(environment& env, int times,
                               const std::function<double()>& own_seconds);

/// Returns what progress::automatic stands for here: "policy_chosen" and "policy_reason".
/// Collective.
[[nodiscard]] json policy_chosen(environment& env, int workers);
/// Returns what it stands for in this runtime.
[[nodiscard]] json policy_chosen(const runtime& rt);

/// Returns whether an operation takes long enough to measure its transport; below, sleeping between
/// looks costs more than the transport does.
[[nodiscard]] bool transport_is_measurable(double operation_s) noexcept;

/// Seconds of processor time of `operation`, which sleeps `between_looks` whenever it has
/// found nothing to do and takes about `operation_s`, on this rank's processing unit (see
/// transport_cpu_s).  Not finite where other programs left the counting thread no
/// processor. Collective.
[[nodiscard]] double transport_s(environment& env, const std::function<void()>& operation,
                                 double operation_s);

}  // namespace plait::measure
