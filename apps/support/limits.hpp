// SPDX-License-Identifier: BSD-3-Clause
/// What overlap can reach, from what was measured alone in the same session: the arithmetic beside
/// every result.
#pragma once

#include <optional>
#include <string>

namespace plait::app {

/// Seconds per run, each measured without the others.
struct measured_alone {
  double computation_s = 0;
  double communication_s = 0;
  /// Processor time the transport takes from computing (LogGP's o: copies, system calls, the
  /// kernel's receive path).
  double transport_cpu_s = 0;
  /// Computed: the bytes of the busiest link at its rate, where that is known.  A blocking exchange
  /// alone may take longer.
  std::optional<double> wire_s = {};

  /// What stands for communication in the bounds.
  [[nodiscard]] double messages_s() const { return wire_s.value_or(communication_s); }
};

/// max(computation, wire or communication): nothing that computes as it was measured can be faster.
[[nodiscard]] double bound_s(const measured_alone& alone);

/// max(wire or communication, computation + transport): the same where every core computes.
[[nodiscard]] double attainable_s(const measured_alone& alone);

/// (T_base - T) / (T_base - bound): 1 at the bound, 0 at base, negative when slower than base, more
/// than 1 for a variant that needs less computation than was measured alone.
/// Nothing if base itself is within `noise` of the bound, so that there is nothing to hide.
[[nodiscard]] std::optional<double> hidden_fraction(double total_s, double base_s, double bound_s,
                                                    double noise = 0.01);

/// Where the time of a run went, in seconds per worker.
struct breakdown {
  double compute_s = 0;
  double posting_s = 0;
  double exposed_s = 0;
  double overhead_s = 0;
  double idle_s = 0;
};

/// One sentence: what the variant `name` is limited by, and what most of its distance to
/// `attainable` consists of.
[[nodiscard]] std::string limiter(const std::string& name, double total_s, const breakdown& spent,
                                  const measured_alone& alone);

}  // namespace plait::app
