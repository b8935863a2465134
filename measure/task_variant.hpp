// SPDX-License-Identifier: BSD-3-Clause
/// A variant written as tasks: the application says which tasks a few steps are.
#pragma once

#include <optional>
#include <utility>

#include <plait/plait.hpp>

#include "task_run.hpp"
#include "variant.hpp"

namespace plait::measure {

/// Records the tasks of a few steps once, and replays them; see task_run.hpp.
template <class Problem>
class task_variant : public variant<Problem> {
 public:
  task_variant(environment& env, const task_options& how) : env_(env), how_(how) {}

  void prepare(Problem& p) final { run_.emplace(env_, how_, steps_of(p)); }

  void run(Problem& p, int steps, const step_range& recorded) final {
    run_->run(steps, recorded);
    ended(p, steps);
  }

  [[nodiscard]] run_report finish(Problem&) final {
    run_report report = run_->finish();
    run_.reset();
    add_to(report);
    return report;
  }

 protected:
  /// Makes what the tasks refer to, and says how to submit them.  What they refer to lives until
  /// the next call.
  [[nodiscard]] virtual task_steps steps_of(Problem& p) = 0;
  /// Is called after the last step: p must hold the result.
  virtual void ended(Problem&, int /*steps*/) {}
  /// Adds figures and words of the application's own.
  virtual void add_to(run_report&) {}

  environment& env_;
  const task_options how_;

 private:
  std::optional<task_run> run_;
};

}  // namespace plait::measure
