// SPDX-License-Identifier: BSD-3-Clause
/// A variant written as tasks: the application says which tasks a few steps are.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <plait/plait.hpp>

#include "task_run.hpp"
#include "variant.hpp"

namespace plait::measure {

/// Records the tasks of a few steps once, and replays them; see task_run.hpp.
template <class Problem>
class task_variant : public variant<Problem> {
 public:
  task_variant(environment& env, const runtime_options& how) : env_(env), how_(how) {}

  void prepare(Problem& p) final { run_.emplace(env_, how_, steps_of(p)); }

  void run(Problem& p, int steps, const step_range& recorded) final {
    run_->begin();
    advance(*run_, p, steps);
    run_->end(recorded);
    ended(p, steps);
  }

  [[nodiscard]] run_report finish(Problem&) final {
    run_report report =
        run_->finish([this](std::span<const trace_event> events) { look_at(events); });
    run_.reset();
    add_to(report);
    return report;
  }

 protected:
  /// Makes what the tasks refer to, and says how to submit them.  What they refer to lives until
  /// the next call.
  [[nodiscard]] virtual task_steps steps_of(Problem& p) = 0;
  /// Does the steps, at most so many, and waits.  All of it is in the ledger.
  virtual void advance(task_run& run, Problem&, int steps) { run.advance(steps); }
  /// Is called after the last step: p must hold the result.
  virtual void ended(Problem&, int /*steps*/) {}
  /// Is called with all events of a run before `add_to`.
  virtual void look_at(std::span<const trace_event>) {}
  /// Adds figures and words of the application's own.
  virtual void add_to(run_report&) {}

  environment& env_;
  const runtime_options how_;

 private:
  std::optional<task_run> run_;
};

/// Makes a variant of the tasks that `make(p)` says before every run.  `ended(p, steps)` is called
/// after the last step, where p must hold the result.
template <class Problem>
[[nodiscard]] std::unique_ptr<variant<Problem>> tasks_of(
    environment& env, const runtime_options& how, std::function<task_steps(Problem&)> make,
    std::function<void(Problem&, int steps)> ended = {}, setting solves = setting::distributed) {
  class tasks final : public task_variant<Problem> {
   public:
    tasks(environment& env, const runtime_options& how, std::function<task_steps(Problem&)> make,
          std::function<void(Problem&, int)> ended, setting solves)
        : task_variant<Problem>(env, how),
          make_(std::move(make)),
          ended_(std::move(ended)),
          solves_(solves) {}
    [[nodiscard]] setting solves() const noexcept override { return solves_; }

   private:
    task_steps steps_of(Problem& p) override { return make_(p); }
    void ended(Problem& p, int steps) override {
      if (ended_) ended_(p, steps);
    }
    std::function<task_steps(Problem&)> make_;
    std::function<void(Problem&, int)> ended_;
    setting solves_;
  };
  return std::make_unique<tasks>(env, how, std::move(make), std::move(ended), solves);
}

}  // namespace plait::measure
