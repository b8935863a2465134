// SPDX-License-Identifier: BSD-3-Clause
/// Describes what a variant of an application is: one way to do `steps` steps of its problem on all
/// ranks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "phases.hpp"
#include "step_range.hpp"
#include "verdict.hpp"

namespace plait::measure {

/// Holds what a variant says about a run after it, on its rank.
struct run_report {
  plait::ledger ledger;  ///< one entry per worker, of the timed part
  /// Says what happened during the recorded steps, in seconds of this process's clock.
  std::vector<trace_event> events;
  double recorded_from_s = 0;         ///< when the first recorded step began
  std::optional<double> proxy_cpu_s;  ///< processor time of the proxy thread, if there is one
  int workers = 1;
  /// Says what else is kept of each run: of all ranks the largest.  Finite, of the same names
  /// on all of them.
  std::map<std::string, double> figures;
  std::map<std::string, std::string> words;  ///< of rank 0's last run
  std::optional<phase_record> phases;        ///< of a variant that goes phase by phase
};

/// A run is `prepare`, `run`, `finish`, in this order, on all ranks; only `run` is timed.
template <class Problem>
class variant {
 public:
  virtual ~variant() = default;
  [[nodiscard]] virtual setting solves() const noexcept { return setting::distributed; }

  /// Makes what must exist before the clock starts (threads, requests).  `p` is reset.  Collective.
  virtual void prepare(Problem& p) = 0;
  /// Does `steps` steps; then p holds the result.  Events are recorded for steps in `recorded`, at
  /// little cost.  Collective.
  virtual void run(Problem& p, int steps, const step_range& recorded) = 0;
  /// Ends what `prepare` began, so that nothing of this variant runs during another.  Collective.
  [[nodiscard]] virtual run_report finish(Problem& p) = 0;
};

}  // namespace plait::measure
