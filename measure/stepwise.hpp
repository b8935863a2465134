// SPDX-License-Identifier: BSD-3-Clause
/// A variant of the calling thread alone: the application says what one step is.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <plait/plait.hpp>

#include "timeline.hpp"
#include "variant.hpp"

namespace plait::measure {

/// Makes a variant of plain MPI, or of no messages.  `step` does one step and charges all its time
/// to the stopwatch.
template <class Problem>
[[nodiscard]] std::unique_ptr<variant<Problem>> stepwise(
    std::function<void(Problem&, stopwatch&)> step, setting solves = setting::distributed) {
  class steps_of_one_thread final : public variant<Problem> {
   public:
    steps_of_one_thread(std::function<void(Problem&, stopwatch&)> what, setting problem)
        : step_(std::move(what)), solves_(problem) {}

    [[nodiscard]] setting solves() const noexcept override { return solves_; }
    void prepare(Problem&) override {}
    void run(Problem& p, int steps, const step_range& recorded) override {
      watch_.start();
      for (int i = 0; i < steps; ++i) {
        watch_.begin_step(i, recorded);
        step_(p, watch_);
      }
      (void)watch_.stop();
    }
    [[nodiscard]] run_report finish(Problem&) override { return watch_.report(); }

   private:
    std::function<void(Problem&, stopwatch&)> step_;
    setting solves_;
    stopwatch watch_;
  };
  return std::make_unique<steps_of_one_thread>(std::move(step), solves);
}

}  // namespace plait::measure
