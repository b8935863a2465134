// SPDX-License-Identifier: BSD-3-Clause
/// Common parts of the rows by hand: the block on the device, and a run there.
#pragma once

#include <optional>

#include <plait/plait.hpp>

#include "common/device/run_by_hand.hpp"
#include "device/block.hpp"
#include "variant.hpp"

namespace jacobi3d {

/// A row that gives the device its commands by hand.
class row_by_hand : public variant {
 public:
  row_by_hand(setting solves, const device_options& how) : solves_(solves), how_(how) {}
  [[nodiscard]] setting solves() const noexcept final { return solves_; }

  void prepare(problem& p) final;
  void run(problem& p, int steps, const plait::measure::step_range& recorded) final;
  [[nodiscard]] plait::measure::run_report finish(problem& p) final;

 protected:
  /// Makes and ends what a run needs beside the block.
  virtual void make() {}
  virtual void unmake() noexcept {}
  /// Does the steps.  The device may have something left to do then, messages not.
  virtual void advance(int steps) = 0;
  /// Begins a step.
  void begin(int step) { run_.begin_step(step); }

  [[nodiscard]] device_block& block() noexcept { return *block_; }
  [[nodiscard]] plait::measure::stopwatch& watch() noexcept { return run_.watch(); }

  [[nodiscard]] plait::queue queue(plait::device_queue which, const char* name) {
    return plait::by_hand::queue_of(block().gpu(), which, name);
  }
  /// Enqueues a step of these cells.
  void relax(plait::queue to, int step, const box& cells);

 private:
  setting solves_;
  const device_options& how_;
  std::optional<device_block> block_;
  plait::stencil::run_by_hand run_;
  int done_ = 0;
};

}  // namespace jacobi3d
