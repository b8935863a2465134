// SPDX-License-Identifier: BSD-3-Clause
// Runs in any thread.
#include "look/spinning.hpp"

#include <utility>

#include "look/numbers.hpp"

namespace plait {

constinit spin_licence spinning::licence_;
constinit std::atomic<std::uint64_t> spinning::last_serial_{0};

bool spinning::is_allowed(const look_schedule& looks, ticks awake_since) noexcept {
  static thread_local struct {
    core_watch core;
    ticks awake_since = 0;
    unsigned calls = 0;
  } own;
  if (!licence_.is_valid()) {
    own.calls = 0;
    return looks.is_early();
  }
  if (std::exchange(own.awake_since, awake_since) != awake_since) own.calls = 0;
  if (++own.calls % 64 == 0) {  // most waits are over before
    const ticks now = now_ticks();
    if (own.calls == 64) {
      own.core.begin(now);
    } else if (own.core.is_wanted(now)) {
      give_way(now);
    }
  }
  return true;
}

bool spinning::may_look_in_turn(std::uint64_t moving) noexcept {
  static thread_local struct {
    std::uint64_t of = 0;
    std::uint64_t moving = 0;
    int looks = 0;
  } own;
  if (own.of != serial_ || own.moving != moving) own = {.of = serial_, .moving = moving};
  if (own.looks >= look_numbers::looks_in_turn) return false;
  ++own.looks;
  return true;
}

}  // namespace plait
