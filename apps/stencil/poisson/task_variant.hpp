// SPDX-License-Identifier: BSD-3-Clause
/// What the variants as tasks share: an iteration, recorded once, is replayed until a task says
/// `done`; and the account of it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "halo_tasks.hpp"
#include "kernel.hpp"
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
  /// Iterations that were replayed together.
  struct batch {
    std::int64_t first = 0;
    std::uint64_t count = 0;
    double begin_s = 0;
  };
  [[nodiscard]] std::uint64_t next_batch() const;
  void keep_events(run_report& report);

  double bb_ = 0;
  std::optional<plait::runtime> rt_;
  std::optional<plait::graph> iteration_;
  std::vector<batch> batches_;
  step_range recorded_;
  plait::ledger ledger_;
};

}  // namespace poisson
