// SPDX-License-Identifier: BSD-3-Clause
/// A task variant's runtime, recorded graph, ledger, trace, statistics and report: what a variant
/// written as tasks adds is the tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <plait/plait.hpp>

#include "variant.hpp"

namespace plait::measure {

/// The most tasks whose graph is recorded where the in-flight limit is left at 0.
inline constexpr std::size_t most_recorded = std::size_t{1} << 17;

/// The tasks of a few steps, submitted again and again.
struct task_steps {
  int steps = 1;          ///< that are submitted, and recorded, together
  std::size_t tasks = 0;  ///< of them, messages included, or more; 0: not known, a few thousand
  bool replayed = true;   ///< recorded, where they fit the in-flight limit
  /// Submits the first `count` of them.  What it refers to outlives the task_run.
  std::function<void(runtime&, int count)> submit;
  std::optional<model::node_step> step = {};  ///< of runtime_options, where it is known by now
};

/// Reports what `rt` did in `steps` steps from `began_s` on (process seconds): events of the steps
/// `kept`, the proxy's processor time, the figure "longest_unwatched_s", and the words
/// "policy_chosen" and "policy_reason".  The ledger is the caller's, who knows when it ended.
/// `look` sees all events first.  Ends the trace.
[[nodiscard]] run_report report_of(
    runtime& rt, double began_s, int steps, const step_range& kept,
    const std::function<void(std::span<const trace_event>)>& look = {});

/// One run of a variant: made in `prepare`, destroyed in `finish`.  Its workers and its proxy live
/// in between.
class task_run {
 public:
  /// Starts the workers, records `what` where its tasks fit the in-flight limit, and starts the
  /// trace.  An in-flight limit of 0: as many as it takes to replay.  Collective.
  task_run(environment& env, runtime_options options, task_steps what);

  [[nodiscard]] runtime& tasks() noexcept { return *rt_; }

  /// Begins the ledger and the clock.
  void begin();
  /// Does `steps` steps, and waits.
  void advance(int steps);
  /// Ends the ledger.  `kept`: the steps, among those that were done since `begin`, whose events
  /// are reported.
  void end(const step_range& kept);

  /// Reports the run, its ledger included; see report_of.  Ends workers and proxy.  Collective.
  [[nodiscard]] run_report finish(
      const std::function<void(std::span<const trace_event>)>& look = {});

 private:
  task_steps what_;
  std::optional<runtime> rt_;
  std::optional<graph> recorded_;
  double began_s_ = 0;
  int done_ = 0;
  step_range kept_;
  ledger spent_;
};

}  // namespace plait::measure
