// SPDX-License-Identifier: BSD-3-Clause
// How much of a core a thread that does nothing but look at the clock does not get.
#pragma once

#include <chrono>

#include "plan.hpp"

namespace plait::network::noise {

/// Adds up the time between looks at the clock that lie further apart than a thread that runs can
/// leave between them: another one had the core (fixed work quantum, Sottile and Minnich 2004).
class lost_time {
 public:
  /// Looks closer than this are one thread's; a burst is at least 5 us.
  static constexpr nanoseconds longest_look = std::chrono::microseconds(2);

  explicit lost_time(moment first) : first_(first), last_(first) {}

  /// Notes a look at the clock.  Precondition: it is no earlier than the one before.
  void look(moment now) {
    const nanoseconds gap = now - last_;
    if (gap > longest_look) lost_ += gap;
    last_ = now;
  }

  /// Returns the share of the time from the first look to the last one that was lost, from 0 to 1;
  /// 0 before the second look.
  [[nodiscard]] double share() const;

 private:
  moment first_, last_;
  nanoseconds lost_{};
};

/// The time in which the bursts of a core are counted: whole periods from the middle between two
/// bursts, so that each of them lies inside.
struct counting_window {
  moment begin, end;
};

/// Returns the window of at least `least` for bursts that begin at `origin` + phase.  Its begin may
/// lie before `origin`, by less than a period.
[[nodiscard]] counting_window window_of(const burst_plan& plan, moment origin, nanoseconds least);

}  // namespace plait::network::noise
