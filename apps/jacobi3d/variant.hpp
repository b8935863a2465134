// SPDX-License-Identifier: BSD-3-Clause
/// What a variant of the program is: one way to do `steps` Jacobi steps on all ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "problem.hpp"
#include "step_range.hpp"

namespace jacobi3d {

/// What the command line says beside the problem; only tasks need it.
struct options {
  int workers = 0;  ///< 0 = as many as this process has cores for
  std::string policy = "auto";
  std::size_t window = 0;  ///< most tasks in flight; 0 = as many as it takes to replay
  int time_tile = 0;       ///< steps a tile of cells takes while it is in the cache; 0 = choose
};

/// What a variant says about a run after it.
struct run_report {
  plait::ledger ledger;  ///< one entry per worker, of the timed part
  /// What happened during the recorded steps, in seconds of this process's clock.
  std::vector<plait::trace_event> events;
  double recorded_from_s = 0;         ///< when the first recorded step began
  std::optional<double> proxy_cpu_s;  ///< processor time of the proxy thread, if there is one
  double longest_unwatched_s = 0;     ///< nobody looked for so long while messages were in flight
  int workers = 1;
  int time_tile = 1;
  std::string policy_chosen;
  std::string policy_reason;
};

/// A run is `prepare`, `run`, `finish`, in this order, on all ranks; only `run` is timed.
class variant {
 public:
  virtual ~variant() = default;
  [[nodiscard]] virtual setting solves() const noexcept { return setting::distributed; }

  /// Makes what must exist before the clock starts (threads, requests).  `p` is reset.  Collective.
  virtual void prepare(problem& p) = 0;
  /// Does `steps` steps; then p.u is the result.  Events are recorded for steps in `recorded`, at
  /// little cost.  Collective.
  virtual void run(problem& p, int steps, const step_range& recorded) = 0;
  /// Ends what `prepare` began, so that nothing of this variant runs during another.  Collective.
  [[nodiscard]] virtual run_report finish() = 0;
};

[[nodiscard]] std::unique_ptr<variant> make_base(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_olap(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_ideal(plait::environment& env);

}  // namespace jacobi3d
