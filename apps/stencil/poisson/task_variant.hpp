// SPDX-License-Identifier: BSD-3-Clause
/// Describes what the variants as tasks share: an iteration, recorded once, is replayed until a
/// task says `done`; and the account of it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "halo_tasks.hpp"
#include "kernel.hpp"
#include "measure/task_run.hpp"
#include "variant.hpp"

namespace poisson {

class task_variant : public variant {
 public:
  task_variant(plait::environment& env, const options& chosen) : env_(env), options_(chosen) {}

  void prepare(problem& p) override;
  void run(problem& p, int steps, const step_range& recorded) override;
  [[nodiscard]] run_report finish(problem& p) override;

 protected:
  /// Makes what tasks refer to.
  virtual void allocate(problem& p) = 0;
  virtual void submit_iteration(plait::runtime& rt, problem& p) = 0;
  /// After the last iteration.
  virtual void submit_end(plait::runtime&, problem&) {}
  /// Frees what `allocate` made.
  virtual void release() = 0;

  plait::environment& env_;
  const options options_;
  coefficients c_;

 private:
  /// How many iterations are replayed next, before anybody looks whether more are needed.
  [[nodiscard]] int next_batch() const;

  double bb_ = 0;
  std::optional<plait::measure::task_run> run_;
};

}  // namespace poisson
