// SPDX-License-Identifier: BSD-3-Clause
/// Computes what overlap can reach, from what was measured alone in the same session: the
/// arithmetic beside every result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "statistics.hpp"

namespace plait::measure {

/// Seconds per run, each without the others: measured alone, or the least that runs beside it have
/// needed for it (cheapest_of_rounds).
struct measured_alone {
  double computation_s = 0;
  double communication_s = 0;
  /// Processor time the transport takes from computing (LogGP's o: copies, system calls, the
  /// kernel's receive path).
  double transport_cpu_s = 0;
  /// Computed: the bytes of the busiest link at its rate, where that is known.  A blocking exchange
  /// alone may take longer.
  std::optional<double> wire_s = {};
  /// Of the computation, what the ledger counts as computing; nothing: all of it.
  std::optional<double> compute_s = {};

  /// Returns what stands for communication in the bounds.
  [[nodiscard]] double messages_s() const { return wire_s.value_or(communication_s); }
};

/// Values of rounds, each the least that the round has shown.
struct cheapest_found {
  std::vector<double> samples;
  /// Of each round, where its value is from: 0 is what was measured alone, i + 1 is `shown[i]`.
  std::vector<std::size_t> from;
};

/// Returns for each round the least of what was measured alone and of what runs of the same round
/// needed for the same thing beside others.  A run that needs less proves that the other, alone,
/// was disturbed.  Precondition: `shown` has a value for each round, by run.
[[nodiscard]] cheapest_found cheapest_of_rounds(const std::vector<double>& alone,
                                                const std::vector<std::vector<double>>& shown);

/// max(computation, wire or communication): nothing that computes as it was measured can be faster.
[[nodiscard]] double bound_s(const measured_alone& alone);

/// max(wire or communication, computation + transport): the same where every core computes.
[[nodiscard]] double attainable_s(const measured_alone& alone);

/// (T_base - T) / (T_base - bound): 1 at the bound, 0 at base, negative when slower than base. Only
/// of a variant that computes as base does.  More than 1 by more than the spread of its runs: the
/// bound was measured too high (`beats`).
/// Nothing if base itself is within `noise` of the bound, so that there is nothing to hide.
[[nodiscard]] std::optional<double> hidden_fraction(double total_s, double base_s, double bound_s,
                                                    double noise = 0.01);

/// Returns whether runs are faster than `attainable_s` by more than the spread of both, q3 + (q3 -
/// q1) < q1 of attainable: then that bound was measured too high.
[[nodiscard]] bool beats(const summary& total, const summary& attainable_s);

/// Division of the time of a run, in seconds per worker.
struct breakdown {
  double compute_s = 0;
  double posting_s = 0;
  double exposed_s = 0;
  double overhead_s = 0;
  double idle_s = 0;
};

/// Excess of the computation of a run beside messages over computation alone, in seconds per
/// worker, and its causes.  The two parts overlap: the proxy does work of the transport.
struct slower_computation {
  double total_s = 0;      ///< negative where the run computes in less time than alone
  double transport_s = 0;  ///< the transport's processor time, at most the excess
  /// The proxy thread's processor time, at most the excess; nothing without a proxy.
  std::optional<double> proxy_s = {};

  /// Returns what neither explains, at most: caches, other programs.
  [[nodiscard]] double rest_s() const;
};

[[nodiscard]] slower_computation slower(const breakdown& spent, const measured_alone& alone,
                                        std::optional<double> proxy_cpu_s);

/// One sentence: what the variant `name` is limited by, what most of its distance to `attainable`
/// consists of, and how much slower its computation is beside messages, where that is more than 2
/// %.
[[nodiscard]] std::string limiter(const std::string& name, double total_s, const breakdown& spent,
                                  const measured_alone& alone,
                                  std::optional<double> proxy_cpu_s = {});

}  // namespace plait::measure
