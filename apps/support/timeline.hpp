// SPDX-License-Identifier: BSD-3-Clause
/// The accounts a plain-MPI variant keeps of its own time, and the events of it worth showing.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

namespace plait::app {

/// Splits one thread's time among activities, without a gap: each `lap` charges everything since
/// the last one.  While `recording`, every lap is an event as well.  Cost of a lap: one clock read.
class stopwatch {
 public:
  void start() noexcept;
  void lap(activity what, const char* name);
  /// The account since `start`, as worker 0.
  [[nodiscard]] ledger_entry stop() noexcept;

  void record(bool on) noexcept { recording_ = on; }
  [[nodiscard]] bool recording() const noexcept { return recording_; }
  /// Adds a message, which may overlap anything.
  void add_message(std::string name, const message_side& side, ticks posted, ticks completed);
  [[nodiscard]] std::vector<trace_event> take_events() noexcept { return std::move(events_); }

 private:
  std::array<ticks, activity_count> sums_{};
  ticks began_ = 0;
  ticks last_ = 0;
  bool recording_ = false;
  std::vector<trace_event> events_;
};

}  // namespace plait::app
