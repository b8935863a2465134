// SPDX-License-Identifier: BSD-3-Clause
/// Tells a thread that spins whether somebody else wants its core.
#pragma once

#include <ctime>

#include <plait/core/clock.hpp>

namespace plait {

/// A thread that never blocks gets all of its core, unless others want it too: its processor time
/// then falls behind the clock.  Looked at every `period`, it costs a system call each time.
class core_watch {
 public:
  explicit core_watch(double period_s = 5e-3) noexcept : period_(seconds_to_ticks(period_s)) {}

  /// Begins to watch, after a time in which the thread may have slept.
  void begin(ticks now) noexcept {
    since_ = now;
    processor_ = processor_ticks();
  }

  /// Whether the calling thread, which has not blocked since `begin`, has lately had less of a core
  /// than `least_share`.
  [[nodiscard]] bool is_wanted(ticks now) noexcept {
    if (now - since_ < period_) return false;
    const ticks processor = processor_ticks();
    const bool wanted = static_cast<double>(processor - processor_) <
                        least_share * static_cast<double>(now - since_);
    since_ = now;
    processor_ = processor;
    return wanted;
  }

  static constexpr double least_share = 0.8;

 private:
  [[nodiscard]] static ticks processor_ticks() noexcept {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return seconds_to_ticks(static_cast<double>(time.tv_sec) +
                            1e-9 * static_cast<double>(time.tv_nsec));
  }

  ticks period_;
  ticks since_ = 0;
  ticks processor_ = 0;
};

}  // namespace plait
