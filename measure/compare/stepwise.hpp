// SPDX-License-Identifier: BSD-3-Clause
/// A variant of the calling thread alone: the application says what one step is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <plait/plait.hpp>

#include "timeline.hpp"
#include "variant.hpp"

namespace plait::measure {

/// Does steps of a `Step`, which is made in `prepare` as Step(p, args...), does one step when it is
/// called as step(p, watch), and charges all its time to the stopwatch.  It may have `begun(p,
/// watch)` and `ended(p, watch)`, which are called before the first step and after the last one,
/// and `add_to(report)`.
template <class Problem, class Step, class... Args>
class stepwise_variant final : public variant<Problem> {
 public:
  explicit stepwise_variant(setting solves, Args... args)
      : solves_(solves), args_(std::move(args)...) {}

  [[nodiscard]] setting solves() const noexcept override { return solves_; }

  void prepare(Problem& p) override {
    std::apply([&](auto&... args) { step_.emplace(p, args...); }, args_);
  }

  void run(Problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    if constexpr (requires { step_->begun(p, watch_); }) step_->begun(p, watch_);
    for (int i = 0; i < steps; ++i) {
      watch_.begin_step(i, recorded);
      (*step_)(p, watch_);
    }
    if constexpr (requires { step_->ended(p, watch_); }) step_->ended(p, watch_);
    (void)watch_.stop();
  }

  [[nodiscard]] run_report finish(Problem&) override {
    run_report report = watch_.report();
    if constexpr (requires { step_->add_to(report); }) step_->add_to(report);
    step_.reset();
    return report;
  }

 private:
  setting solves_;
  std::tuple<Args...> args_;
  std::optional<Step> step_;
  stopwatch watch_;
};

/// Makes a variant whose steps need something that is made before the clock starts, a `Step`.
template <class Problem, class Step, class... Args>
[[nodiscard]] std::unique_ptr<variant<Problem>> stepwise_of(setting solves, Args... args) {
  return std::make_unique<stepwise_variant<Problem, Step, Args...>>(solves, std::move(args)...);
}

/// Makes a variant of plain MPI, or of no messages.  `step` does one step and charges all its time
/// to the stopwatch.
template <class Problem>
[[nodiscard]] std::unique_ptr<variant<Problem>> stepwise(
    std::function<void(Problem&, stopwatch&)> step, setting solves = setting::distributed) {
  struct call {
    call(Problem&, std::function<void(Problem&, stopwatch&)>& what) : step(what) {}
    void operator()(Problem& p, stopwatch& watch) { step(p, watch); }
    std::function<void(Problem&, stopwatch&)>& step;
  };
  return stepwise_of<Problem, call>(solves, std::move(step));
}

}  // namespace plait::measure
