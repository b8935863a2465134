// SPDX-License-Identifier: BSD-3-Clause
/// Permission to poll without pause, for threads that have nothing to do.  Runs in any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include <plait/core/clock.hpp>

#include "look/core_watch.hpp"
#include "look/look_schedule.hpp"

namespace plait {

/// Answers, for those who look after the same messages, whether their threads may spin.  Any
/// thread.
class spinning {
 public:
  /// Returns the licence to spin that all threads of this process share.
  [[nodiscard]] static spin_licence& licence() noexcept { return licence_; }

  /// Returns whether a thread may poll without pause that has not slept since `awake_since`: with
  /// the licence always, until others want its core; without it while looks come closely.
  [[nodiscard]] bool is_allowed(const look_schedule& looks, ticks awake_since) noexcept;

  /// Returns whether a thread that others want the core of, and that gives the core up after each
  /// look, may look again at once: so often since `moving` has changed.  Then each of the ranks on
  /// a core has its turn after the others' looks, which is sooner than any timer.  A thread that
  /// has looked in vain so often sleeps instead: a rank that computes meanwhile has lost at most
  /// the price of these looks.
  [[nodiscard]] bool may_look_in_turn(std::uint64_t moving) noexcept;

  /// Withdraws the licence: others want the core of the calling thread.
  void give_way(ticks now) noexcept {
    if (licence_.withdraw(now)) gave_way_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Returns how often a thread has given way.
  [[nodiscard]] std::uint64_t gave_way() const noexcept { return gave_way_.load(); }

 private:
  static constinit spin_licence licence_;
  static constinit std::atomic<std::uint64_t> last_serial_;
  /// Identity.  An address would not do: it may be that of one that is gone.
  const std::uint64_t serial_ = last_serial_.fetch_add(1, std::memory_order_relaxed) + 1;
  std::atomic<std::uint64_t> gave_way_{0};
};

}  // namespace plait
