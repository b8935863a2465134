// SPDX-License-Identifier: BSD-3-Clause
/// The accounts a plain-MPI variant keeps of its own time, and the events of it worth showing.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "variant.hpp"

namespace plait::measure {

/// Splits one thread's time among activities, without a gap: each `lap` charges everything since
/// the last one.  While `recording`, every lap is an event as well.  Cost of a lap: one clock read.
class stopwatch {
 public:
  void start() noexcept;
  /// Records from here on if the step is one of `recorded`.
  void begin_step(int step, const step_range& recorded) noexcept;
  void lap(activity what, const char* name);
  /// The account since `start`, as worker 0.
  const ledger_entry& stop() noexcept;

  [[nodiscard]] bool recording() const noexcept { return recording_; }
  /// Adds a message, which may overlap anything.
  void add_message(std::string name, const message_side& side, ticks posted, ticks completed);
  /// The run from `start` to `stop`, for a variant that computes with the calling thread alone.
  [[nodiscard]] run_report report();

 private:
  std::array<ticks, activity_count> sums_{};
  ticks began_ = 0;
  ticks last_ = 0;
  bool recording_ = false;
  ticks recorded_from_ = 0;
  ledger_entry account_;
  std::vector<trace_event> events_;
};

}  // namespace plait::measure
