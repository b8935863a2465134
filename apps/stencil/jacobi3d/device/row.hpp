// SPDX-License-Identifier: BSD-3-Clause
/// Common parts of the rows on a device: the block there, and the device's account of a run.
#pragma once

#include <optional>
#include <vector>

#include <plait/plait.hpp>

#include "common/device/account.hpp"
#include "device/block.hpp"
#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace jacobi3d {

using plait::stencil::device_account;

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
  void begin(int step) { watch_.begin_step(step, recorded_); }

  [[nodiscard]] device_block& block() noexcept { return *block_; }
  [[nodiscard]] plait::measure::stopwatch& watch() noexcept { return watch_; }

  [[nodiscard]] plait::queue queue(plait::device_queue which, const char* name) {
    return plait::by_hand::queue_of(block().gpu(), which, name);
  }
  /// Enqueues a step of these cells.
  void relax(plait::queue to, int step, const box& cells);

 private:
  void observe();

  setting solves_;
  const device_options& how_;
  std::optional<device_block> block_;
  plait::measure::stopwatch watch_;
  std::vector<plait::trace_event> events_;
  device_account spent_;
  double began_s_ = 0;
  plait::measure::step_range recorded_;
  int done_ = 0;
};

}  // namespace jacobi3d
