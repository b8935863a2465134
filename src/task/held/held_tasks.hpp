// SPDX-License-Identifier: BSD-3-Clause
/// The tasks that are held: which, since when, and how long there has been one.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

#include <plait/core/clock.hpp>

#include "task/scheduler/family.hpp"

namespace plait::detail {

/// A task is held from the return of its function, if holds are open then, until a worker finishes
/// it.  So only threads of plait add and remove, and may take a lock; a thread that releases a hold
/// does not come here.
class held_tasks {
 public:
  /// `in_flight_until`: how long communication has been in flight by a time.
  void add(family& one, const auto& in_flight_until) {
    std::lock_guard lock(mutex_);
    one.held_since = now_ticks();
    if (oldest_ == nullptr) {
      began_ = one.held_since;
      in_flight_when_begun_ = in_flight_until(began_);
      ever_.store(true, std::memory_order_relaxed);
    }
    one.held_before = newest_;
    one.held_after = nullptr;
    (newest_ == nullptr ? oldest_ : newest_->held_after) = &one;
    newest_ = &one;
  }
  /// Returns since when it was held, and until when.
  std::pair<ticks, ticks> remove(family& one, const auto& in_flight_until) {
    std::lock_guard lock(mutex_);
    const ticks now = now_ticks();
    (one.held_before == nullptr ? oldest_ : one.held_before->held_after) = one.held_after;
    (one.held_after == nullptr ? newest_ : one.held_after->held_before) = one.held_before;
    if (oldest_ == nullptr) sum_ += since_begun(now, in_flight_until(now));
    return {std::exchange(one.held_since, 0), now};
  }
  /// Returns how long, until `now`, a task has been held while nothing was in flight.  `in_flight`:
  /// how long communication had been by then.
  [[nodiscard]] ticks until(ticks now, ticks in_flight) const {
    if (!ever_.load(std::memory_order_relaxed)) return 0;
    std::lock_guard lock(mutex_);
    return oldest_ == nullptr ? sum_ : sum_ + since_begun(now, in_flight);
  }
  /// Calls `use(node, since)` for each that has an open hold, in the order in which their functions
  /// returned.  None of them is finished meanwhile.
  void for_each(const auto& use) const {
    std::lock_guard lock(mutex_);
    for (const family* one = oldest_; one != nullptr; one = one->held_after) {
      if (one->open_holds.load(std::memory_order_relaxed) > 0) use(*one->parent, one->held_since);
    }
  }

 private:
  [[nodiscard]] ticks since_begun(ticks now, ticks in_flight) const noexcept {
    const ticks alone = (now - began_) - (in_flight - in_flight_when_begun_);
    return alone > 0 ? alone : 0;
  }

  mutable std::mutex mutex_;
  std::atomic<bool> ever_{false};  ///< there has been one: until then nobody takes the lock to ask
  family* oldest_ = nullptr;
  family* newest_ = nullptr;
  ticks began_ = 0;  ///< when the first of those that are held now came
  ticks in_flight_when_begun_ = 0;
  ticks sum_ = 0;
};

/// All that a scheduler keeps of holds.
struct holds {
  family_pool families;
  held_tasks tasks;
  std::atomic<int> releasing{0};  ///< threads that are in `let_go`
};

}  // namespace plait::detail
