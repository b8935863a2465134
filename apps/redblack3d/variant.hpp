// SPDX-License-Identifier: BSD-3-Clause
/// What a variant of the program is: one policy's way to do `steps` steps on all ranks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "jacobi3d/step_range.hpp"
#include "policy.hpp"
#include "problem.hpp"
#include "slow_worker.hpp"

namespace redblack3d {

using jacobi3d::step_range;

/// What a variant says about a run after it.
struct run_report {
  plait::ledger ledger;  ///< one entry per worker, of the timed part
  /// What happened during the recorded steps, in seconds of this process's clock.
  std::vector<plait::trace_event> events;
  double recorded_from_s = 0;  ///< when the first recorded step began
  /// The paper's columns.  Wait: in the exchange, from its start or, where it is overlapped, while
  /// nothing else is done, to its end, packing included; Comp: in sweeps, the threads' barrier
  /// included.  Of tasks: posting and exposed, and compute, the mean over workers.
  double wait_s = 0;
  double compute_s = 0;
  std::optional<double> proxy_cpu_s;  ///< processor time of the proxy thread, if there is one
  int workers = 1;
  std::string progress;  ///< who drives messages
};

/// A run is `prepare`, `run`, `finish`, in this order, on all ranks; only `run` is timed.
class variant {
 public:
  virtual ~variant() = default;
  [[nodiscard]] virtual setting solves() const noexcept { return setting::distributed; }

  /// Makes what must exist before the clock starts (threads, requests).  `p` is reset.  Collective.
  virtual void prepare(problem& p) = 0;
  /// Does `steps` steps on p.u.  Events are recorded for steps in `recorded`, at little cost.
  /// Collective.
  virtual void run(problem& p, int steps, const step_range& recorded) = 0;
  /// Ends what `prepare` began, so that nothing of this variant runs during another.  Collective.
  [[nodiscard]] virtual run_report finish(problem& p) = 0;
};

[[nodiscard]] std::unique_ptr<variant> make_hand(plait::environment& env, slow_worker slow);
[[nodiscard]] std::unique_ptr<variant> make_ideal(plait::environment& env, slow_worker slow);
[[nodiscard]] std::unique_ptr<variant> make_multi_tier(plait::environment& env, const policy& how,
                                                       slow_worker slow);
[[nodiscard]] std::unique_ptr<variant> make_tasks(plait::environment& env, const policy& how,
                                                  slow_worker slow);

/// The variant of a policy.
[[nodiscard]] std::unique_ptr<variant> make_variant(plait::environment& env, const policy& how,
                                                    slow_worker slow);

}  // namespace redblack3d
