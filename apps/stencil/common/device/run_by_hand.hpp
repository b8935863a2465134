// SPDX-License-Identifier: BSD-3-Clause
/// A run of a row that gives an emulated device its commands by hand: the host's clock, the
/// device's account, and the commands that it ran.
#pragma once

#include <vector>

#include <plait/plait.hpp>

#include "account.hpp"
#include "measure/compare/step_range.hpp"
#include "measure/compare/timeline.hpp"

namespace plait::stencil {

/// Keeps the account of a run.  One thread.
class run_by_hand {
 public:
  /// Begins it.  `recorded`: the steps whose events are kept.
  void begin(const device& gpu, const measure::step_range& recorded);
  void begin_step(int step) { watch_.begin_step(step, recorded_); }
  [[nodiscard]] measure::stopwatch& watch() noexcept { return watch_; }
  /// Returns when the device has done all, after so many steps.  `said`: see `device_account::end`.
  void end(int steps, bool said);
  [[nodiscard]] measure::run_report report();

 private:
  device gpu_;
  measure::stopwatch watch_;
  std::vector<trace_event> events_;
  device_account spent_;
  double began_s_ = 0;
  measure::step_range recorded_;
  int done_ = 0;
};

/// Lets the core go where a row has nothing to do, as long as a small part of a message takes.
/// While it exists the thread sleeps no longer than it asks for: the usual 50 us more would be a
/// look's delay.
class brief_naps {
 public:
  brief_naps();
  ~brief_naps();
  brief_naps(const brief_naps&) = delete;
  brief_naps& operator=(const brief_naps&) = delete;

  void take(measure::stopwatch& watch) const;

 private:
  int before_;
};

}  // namespace plait::stencil
