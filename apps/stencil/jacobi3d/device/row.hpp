// SPDX-License-Identifier: BSD-3-Clause
/// Common parts of the rows on a device: the block there, and the device's account of a run.
#pragma once

#include <optional>
#include <vector>

#include <plait/plait.hpp>

#include "device/block.hpp"
#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace jacobi3d {

/// The account of a run on a device.
class device_account {
 public:
  /// Begins it.
  void begin(const plait::device& gpu);
  /// Ends it.  `said`: the row has told plait when a message was under way.  By hand nobody does:
  /// what the device did not compute counts as exposed then.
  void end(const plait::device& gpu, bool said);
  /// Says in a report where the device's time went: kernels are its computation.  Adds the figures
  /// "to_host_s" and "to_device_s" of copies, and of the whole process, the threads of an emulated
  /// device included, "host_cpu_s" and "host_sleeps", how often a thread has gone to sleep.
  void add_to(plait::measure::run_report& report) const;

 private:
  plait::device_ledger device_;
  double cpu_s_ = 0;
  double sleeps_ = 0;
};

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
