// SPDX-License-Identifier: BSD-3-Clause
/// Says what the rest of a policy's time is that goes phase by phase: an exchange, then a sweep.
/// Arithmetic.  [Baden and Shalit 2001, section 4.2, which estimates the shares]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/base/gather.hpp"

namespace plait::measure {

/// Holds what a node notes of a run: seconds, each list with an entry a phase.
struct phase_record {
  std::vector<double> begun_s;   ///< when the phase began, by this process's clock
  std::vector<double> posted_s;  ///< starting the exchange
  std::vector<double> inner_s;   ///< sweep before the wait, the threads' barrier included
  std::vector<double> waited_s;  ///< for the exchange
  std::vector<double> after_s;   ///< sweep after the wait, likewise: the annulus, or all cells
  double inner_computed_s = 0;   ///< of the run, mean over threads, without the barrier
  double after_computed_s = 0;   ///< likewise
  std::vector<int> neighbours;   ///< ranks whose data the exchange brings
};

/// A node's record on rank 0.
struct node_phases {
  int rank = 0;
  double clock_offset_s = 0;  ///< rank 0's clock minus the node's
  std::optional<double> proxy_cpu_s;
  phase_record record;
};

/// Holds the parts of a run's time, in seconds, as means over nodes.  They add up to the time of
/// the mean node.
struct rest_of_time {
  double computation_s = 0;  ///< mean over threads
  double threads_s = 0;      ///< barrier before the wait: imbalance between threads
  double annulus_s = 0;      ///< barrier after the wait: of the annulus where messages overlap
  double posting_s = 0;
  double nodes_s = 0;     ///< waiting that the nodes' different sweeps explain
  double lag_s = 0;       ///< waiting for neighbours that had begun their phase later, beyond that
  double transfer_s = 0;  ///< waiting for messages that could not be there yet
  double polling_s = 0;   ///< waiting beyond that: for looks after messages, and their processor
  /// Change of the lag between neighbours from one iteration to the next, mean of its amounts.
  double drift_s = 0;
  double largest_lag_s = 0;                 ///< between neighbours
  std::optional<double> proxy_utilisation;  ///< its processor time / the run, mean over nodes

  [[nodiscard]] double sum_s() const noexcept {
    return computation_s + threads_s + annulus_s + posting_s + nodes_s + lag_s + transfer_s +
           polling_s;
  }
};

/// Splits the wait of each phase.  The lag is how much later the latest neighbour has begun the
/// phase.  The first part of the wait, as long as the lag, is for the neighbour.  The next part is
/// for the wire: it ends `exchange_s` after the later of the two began, or after the own sweep.
/// `per_iteration`: phases of an iteration.  Preconditions: at least one node; all records have
/// as many phases, a multiple of `per_iteration`.
[[nodiscard]] rest_of_time rest_of(const std::vector<node_phases>& nodes, double exchange_s,
                                   int per_iteration);

[[nodiscard]] json to_json(const phase_record& one);
[[nodiscard]] phase_record phase_record_from(const json& one);
/// Returns each part per iteration of the run whose time is nearest to the median, so that parts
/// add up, and the sum / that time; of drift, lag and utilisation medians over runs.  Null without
/// runs. Precondition: as many times as runs.
[[nodiscard]] json to_json(const std::vector<rest_of_time>& runs,
                           const std::vector<double>& totals_s, int iterations);

/// Adds to the sentence `limiter` of a result which part of the variant's `rest` is the largest but
/// computation.  Nothing where either is missing.
void add_largest_part(json& result, const std::string& variant);

}  // namespace plait::measure
