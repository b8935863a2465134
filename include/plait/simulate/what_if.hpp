// SPDX-License-Identifier: BSD-3-Clause
/// Runs a program again and again with other parameters: how far its sensitivities hold, how much
/// it tolerates, and where another part limits it.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include <plait/simulate/dataflow.hpp>
#include <plait/simulate/sensitivity.hpp>

namespace plait::simulate {

/// Operations of a program up to which programs of plait's scan parameters, by some 200 runs.
inline constexpr std::uint64_t most_scanned_operations = 20'000;

/// A parameter that is varied: a member of `loggops_parameters`.
using parameter_member = std::uint64_t loggops_parameters::*;

/// Range in which a sensitivity holds, by runs beside the one that it is of.
struct sensitivity_check {
  std::int64_t lambda = 0;       ///< of the frozen order
  std::int64_t one_more_ns = 0;  ///< T(x + 1) - T(x)
  std::int64_t one_less_ns = 0;  ///< T(x) - T(x - 1); lambda where x is 0
  double at_95_percent = 0;      ///< (T(0.95 x) - what lambda says) / T(x)
  double at_105_percent = 0;     ///< (T(1.05 x) - what lambda says) / T(x)

  /// Returns whether the time jumps at one step beside x.
  [[nodiscard]] bool jumps() const { return one_more_ns != lambda || one_less_ns != lambda; }
  /// Returns why the sensitivity is not to be trusted; empty: it holds within one percent.
  [[nodiscard]] std::string why_not_trusted() const;
};

/// Runs the program at x - 1, x + 1, 0.95 x and 1.05 x.
[[nodiscard]] sensitivity_check check_sensitivity(const program& what,
                                                  const loggops_parameters& network,
                                                  parameter_member which,
                                                  const explanation& explained);

/// Returns the largest value of the parameter, found by scanning upwards in steps of 2^(1/4), up to
/// which the program takes at most `factor` of its time; none: 10,000 times the value, or a second
/// where it is 0, are not the end.
[[nodiscard]] std::optional<std::uint64_t> tolerated(const program& what,
                                                     const loggops_parameters& network,
                                                     parameter_member which, double factor);

/// A value of a parameter at which another part becomes the largest on the longest path.
struct take_over {
  std::uint64_t value = 0;
  limiter becomes = limiter::computation;
};

/// Scans in steps of 2^(1/2) upwards, or downwards, from the value to 1000 times, or to a
/// thousandth of it.
[[nodiscard]] std::optional<take_over> takes_over(const program& what,
                                                  const loggops_parameters& network,
                                                  parameter_member which, bool upwards);

// The dialect `plait`
// -------------------

/// A parameter of a machine that is varied: latency, and the time of a byte on a port.
enum class machine_parameter : std::uint8_t { latency_ns, byte_ns };

/// Returns the largest latency up to which the program takes at most `factor` of its time, found as
/// `tolerated` finds it.
[[nodiscard]] std::optional<std::uint64_t> tolerated_latency_ns(const program& what,
                                                                const machine& on, double factor);

/// A value of a parameter at which another part becomes the largest of the critical path.
struct machine_change {
  double value = 0;  ///< ns
  path_part becomes = path_part::computation;
};

/// Scans as the other `takes_over` does.
[[nodiscard]] std::optional<machine_change> takes_over(const program& what, const machine& on,
                                                       machine_parameter which, bool upwards);

}  // namespace plait::simulate
