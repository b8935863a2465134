// SPDX-License-Identifier: BSD-3-Clause
/// Watch on how often workers come by between their tasks, where they look if a look is due: if
/// often enough, nobody else need look.
#pragma once

#include <algorithm>
#include <atomic>

#include <plait/core/clock.hpp>

namespace plait {

/// A worker says when it has come by, while something is in flight; the proxy asks.  All of it is a
/// hint: what two workers write at once, one of them has written.
class worker_passes {
 public:
  explicit worker_passes(double often_s) : often_(seconds_to_ticks(often_s)) {}

  /// Any worker.  Nothing was in flight before `began`.
  void passed(ticks now, ticks began) noexcept {
    const ticks last = last_.exchange(now, std::memory_order_relaxed);
    const ticks gap = now - std::max(last, began);
    if (gap > often_ || last == 0) last_rare_.store(now, std::memory_order_relaxed);
    const ticks longest = longest_.load(std::memory_order_relaxed);
    longest_.store(std::max(gap, longest - longest / 8), std::memory_order_relaxed);
  }

  /// Returns true if workers have lately come by at least every `often_s`, and have not stopped.
  /// Any thread.
  [[nodiscard]] bool are_frequent(ticks now, ticks began) const noexcept {
    const ticks since = now - std::max(last_.load(std::memory_order_relaxed), began);
    return longest_.load(std::memory_order_relaxed) <= often_ && since <= 2 * often_;
  }

  /// For how long no two have been more than `often_s` apart; 0 before the first.  Precondition:
  /// frequent.
  [[nodiscard]] ticks frequent_for(ticks now) const noexcept {
    const ticks last_rare = last_rare_.load(std::memory_order_relaxed);
    return last_rare == 0 ? 0 : now - last_rare;
  }

 private:
  const ticks often_;
  std::atomic<ticks> last_{0};
  std::atomic<ticks> last_rare_{0};  ///< end of the last long time between two, or the first pass
  std::atomic<ticks> longest_{0};    ///< time between two, those long ago forgotten
};

}  // namespace plait
