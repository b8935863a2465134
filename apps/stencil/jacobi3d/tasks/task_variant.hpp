// SPDX-License-Identifier: BSD-3-Clause
/// What the variants of tasks have in common: a few steps, there and back, are recorded once and
/// replayed.
#pragma once

#include <memory>
#include <optional>

#include <plait/plait.hpp>

#include "tasks/sweep.hpp"
#include "variant.hpp"

namespace jacobi3d {

class task_variant : public variant {
 public:
  task_variant(plait::environment& env, const options& chosen) : env_(env), options_(chosen) {}

  void prepare(problem& p) final;
  void run(problem& p, int steps, const step_range& recorded) final;
  [[nodiscard]] run_report finish(problem& p) final;

 protected:
  [[nodiscard]] virtual std::unique_ptr<sweep> make_sweep(problem& p) const = 0;
  [[nodiscard]] virtual plait::progress policy() const noexcept { return options_.policy; }

  plait::environment& env_;
  const options options_;

 private:
  std::unique_ptr<sweep> sweep_;
  std::optional<plait::runtime> rt_;
  std::optional<plait::graph> recorded_;
  plait::ticks started_ = 0;
  int steps_ = 0;
  step_range kept_steps_;
  run_report report_;
};

}  // namespace jacobi3d
