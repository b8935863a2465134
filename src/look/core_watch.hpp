// SPDX-License-Identifier: BSD-3-Clause
/// Tells threads that spin whether somebody else wants their cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <ctime>

#include <plait/core/clock.hpp>

#include "look/numbers.hpp"

namespace plait {

/// A thread that does not block gets all of its core, unless others want it too: its processor time
/// then falls behind the clock.  It spins in stretches, between which it may block; they add up to
/// a verdict for every `period`.  A reading costs a system call, one every sixteenth of a period.
class core_watch {
 public:
  explicit core_watch(double period_s = look_numbers::watch_period_s) noexcept
      : period_(seconds_to_ticks(period_s)) {}

  /// A stretch begins: what lies before it does not count.
  void begin(ticks now) noexcept {
    since_ = now;
    processor_ = processor_ticks();
  }

  /// Returns true if the calling thread has lately had less of a core than
  /// `look_numbers::least_share_of_core`. Precondition: the thread has not blocked since `begin`.
  [[nodiscard]] bool is_wanted(ticks now) noexcept {
    if (now - since_ < period_ / 16) return false;
    const ticks processor = processor_ticks();
    spun_ += now - since_;
    ran_ += processor - processor_;
    since_ = now;
    processor_ = processor;
    if (spun_ < period_) return false;
    const bool wanted =
        static_cast<double>(ran_) < look_numbers::least_share_of_core * static_cast<double>(spun_);
    spun_ = ran_ = 0;
    return wanted;
  }

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
  ticks spun_ = 0;  ///< since the last verdict,
  ticks ran_ = 0;   ///< ... and how much of it on a core
};

/// Licence of threads to spin.  It is withdrawn for a while when a thread finds that others want
/// its core, and for twice as long each time that this is found again at once.  Thread-safe: a
/// write by one thread may reach the others late.
class spin_licence {
 public:
  explicit constexpr spin_licence(double shortest_s = look_numbers::shortest_withdrawal_s,
                                  double longest_s = look_numbers::longest_withdrawal_s) noexcept
      : shortest_s_(shortest_s), longest_s_(longest_s) {}

  [[nodiscard]] bool is_valid() noexcept {
    const ticks until = withdrawn_until_.load(std::memory_order_relaxed);
    if (until == 0) return true;
    if (now_ticks() < until) return false;
    tried_at_.store(until, std::memory_order_relaxed);
    withdrawn_until_.store(0, std::memory_order_relaxed);
    return true;
  }

  /// Returns false where another thread has just done it.
  bool withdraw(ticks now) noexcept {
    if (withdrawn_until_.load(std::memory_order_relaxed) != 0) return false;
    const ticks last = length_.load(std::memory_order_relaxed);
    const bool at_once = now - tried_at_.load(std::memory_order_relaxed) < last;
    const ticks length =
        at_once ? std::min(2 * last, seconds_to_ticks(longest_s_)) : seconds_to_ticks(shortest_s_);
    length_.store(length, std::memory_order_relaxed);
    withdrawn_until_.store(now + length, std::memory_order_relaxed);
    return true;
  }

 private:
  const double shortest_s_;
  const double longest_s_;
  std::atomic<ticks> withdrawn_until_{0};
  std::atomic<ticks> tried_at_{0};
  std::atomic<ticks> length_{0};
};

}  // namespace plait
