// SPDX-License-Identifier: BSD-3-Clause
/// Adds up the time during which at least one operation is in flight.
#pragma once

#include <atomic>
#include <cstdint>

#include <plait/core/clock.hpp>

namespace plait {

/// Written by the holder of the token, read by any thread: `version_` is odd during a write, and a
/// reader that meets one or two different versions tries again.
class flight_clock {
 public:
  /// No effect if something is in flight already.
  void take_off(ticks now) noexcept {
    if (since_.load(std::memory_order_relaxed) != on_ground) return;
    update(sum_.load(std::memory_order_relaxed), now);
  }
  /// Nothing is in flight any more.  No effect if nothing was.
  void land(ticks now) noexcept {
    if (since_.load(std::memory_order_relaxed) == on_ground) return;
    update(sum_.load(std::memory_order_relaxed) + now - since_.load(std::memory_order_relaxed),
           on_ground);
  }

  /// Returns the time at which something came into flight; negative while nothing is.
  [[nodiscard]] ticks began() const noexcept { return since_.load(std::memory_order_relaxed); }
  /// The sum until `now`.
  [[nodiscard]] ticks until(ticks now) const noexcept {
    for (;;) {
      const auto before = version_.load(std::memory_order_acquire);
      const ticks sum = sum_.load(std::memory_order_acquire);
      const ticks since = since_.load(std::memory_order_acquire);
      if (before % 2 == 0 && version_.load(std::memory_order_acquire) == before) {
        return since == on_ground || now < since ? sum : sum + now - since;
      }
    }
  }

 private:
  void update(ticks sum, ticks since) noexcept {
    const auto version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    sum_.store(sum, std::memory_order_release);
    since_.store(since, std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
  }

  static constexpr ticks on_ground = -1;
  std::atomic<std::uint32_t> version_{0};
  std::atomic<ticks> sum_{0};
  std::atomic<ticks> since_{on_ground};
};

}  // namespace plait
