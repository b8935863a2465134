// SPDX-License-Identifier: BSD-3-Clause
/// Decides when an idle spell has become a stall.
#pragma once

#include <algorithm>
#include <cstdint>

#include <plait/core/clock.hpp>
#include <plait/task/progress_source.hpp>

namespace plait::detail {

/// One idle spell of the submitting thread: when it has something to run, something has moved.
/// While it has not, others may finish tasks, so a quarter of the period after the spell's begin it
/// looks at a number that grows with whatever they start or finish, and then again and again: a
/// stall is found after 1 to 1.25 periods.  Short spells, which is nearly all, cost nothing but the
/// comparison in `due`.
class stall_watch {
 public:
  /// `period`: `progress_source::never` for no watch.
  stall_watch(ticks period, ticks begin) noexcept
      : period_(period),
        next_(period == progress_source::never ? progress_source::never : begin + step()) {}

  [[nodiscard]] bool due() const noexcept {
    return next_ != progress_source::never && now_ticks() >= next_;
  }
  /// Returns how long the thread may sleep until the watch is due.
  [[nodiscard]] ticks until_due() const noexcept {
    return next_ == progress_source::never ? next_ : std::max<ticks>(1, next_ - now_ticks());
  }

  /// `mark`: a number that has changed if anything has moved.  Returns whether a stall is to be
  /// reported: once for each standstill.
  [[nodiscard]] bool look(std::uint64_t mark, ticks now) noexcept {
    next_ = now + step();
    if (!looked_ || mark != mark_) {
      looked_ = true;
      reported_ = false;
      mark_ = mark;
      since_ = now;
      return false;
    }
    if (reported_ || now - since_ < period_) return false;
    reported_ = true;
    return true;
  }

  /// Since when nothing has moved, as far as is known.
  [[nodiscard]] ticks since() const noexcept { return since_; }

 private:
  [[nodiscard]] ticks step() const noexcept { return std::max<ticks>(1, period_ / 4); }

  const ticks period_;
  ticks next_;
  ticks since_ = 0;
  std::uint64_t mark_ = 0;
  bool looked_ = false;
  bool reported_ = false;
};

}  // namespace plait::detail
