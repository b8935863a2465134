// SPDX-License-Identifier: BSD-3-Clause
/// Decides when a worker's look is due.  (Of a proxy `pace` decides.)
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include <plait/core/clock.hpp>

#include "look/numbers.hpp"

namespace plait {

/// A look (MPI_Testsome) costs some microseconds even if nothing has happened, and pulls data
/// through in small pieces if much is under way; too late a look leaves the link idle, in the
/// middle of a message too: a long one begins with a handshake and goes on in parts, none of which
/// shows as a completion.  So looks come closely after a post or a completion and then ever more
/// rarely, each after a sixteenth of the time waited so far, up to the worst delay.  What took t is
/// noticed within t / 16, and costs about 16 (1 + ln(t / 320 us)) looks.
///
/// Written by the holder of the token; `next`, `overdue` and `last` may be read by any thread.
class look_schedule {
 public:
  /// No look is wanted.
  static constexpr ticks never = INT64_MAX;

  look_schedule(double first_s, double worst_s)
      : worst_(seconds_to_ticks(worst_s)), first_(std::min(seconds_to_ticks(first_s), worst_)) {}

  void posted(ticks now) noexcept {
    if (next() == never) last_.store(now, std::memory_order_relaxed);
    since_ = now;
    set(std::min(next(), now + first_));
  }

  /// Returns true if `posted` would bring the next look forward.  If the next look comes as soon as
  /// it can, `posted_since_last` is enough, for which no clock is read.
  [[nodiscard]] bool wants_to_know_of_posts() const noexcept {
    return next() == never || next() - last() > first_;
  }

  /// Something was posted after the last look.  The next one may be late, and the wait for this has
  /// only begun: it counts from there.
  void posted_since_last() noexcept { posted_since_last_ = true; }

  /// `price`: of a look that finds nothing.  The next look is no sooner than that, so that looks
  /// take half of the time at most.
  void looked(ticks now, bool completed, bool in_flight, ticks price = 0) noexcept {
    if (now - last() > longest_unwatched()) {
      longest_.store(now - last(), std::memory_order_relaxed);
    }
    last_.store(now, std::memory_order_relaxed);
    if (std::exchange(posted_since_last_, false) || completed) since_ = now;
    set(in_flight
            ? now + std::clamp(std::max((now - since_) / look_numbers::parts_of_a_wait, price),
                               first_, worst_)
            : never);
  }

  /// Nothing is in flight any more.
  void rest() noexcept { set(never); }
  /// Something else than a message wants a look at that time.
  void look_by(ticks at, ticks now) noexcept {
    if (next() == never) last_.store(now, std::memory_order_relaxed);
    set(std::min(next(), at));
  }

  [[nodiscard]] ticks next() const noexcept { return next_.load(std::memory_order_relaxed); }
  /// Returns the time at which a look is owed, whatever it costs: the worst delay after the last
  /// look.  `never` where `next` is.
  [[nodiscard]] ticks overdue() const noexcept {
    const ticks due = next();  // once: whoever looks changes it
    return due == never ? due : std::max(due, last() + worst_);
  }
  /// Returns true if the wait has just begun, so that looks come more often than later.  Always
  /// false where looks come at one fixed interval.
  [[nodiscard]] bool is_early() const noexcept {
    return first_ < worst_ && next() - last() <= first_;
  }
  /// The last look, or the first post since nothing was in flight.
  [[nodiscard]] ticks last() const noexcept { return last_.load(std::memory_order_relaxed); }
  /// The longest time between two looks, or from the first post to the first look.
  [[nodiscard]] ticks longest_unwatched() const noexcept {
    return longest_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] ticks first() const noexcept { return first_; }
  [[nodiscard]] ticks worst() const noexcept { return worst_; }

 private:
  void set(ticks next) noexcept { next_.store(next, std::memory_order_relaxed); }

  const ticks worst_;
  const ticks first_;
  ticks since_ = 0;  ///< the last post or completion
  bool posted_since_last_ = false;
  std::atomic<ticks> next_{never};
  std::atomic<ticks> last_{0};
  std::atomic<ticks> longest_{0};
};

}  // namespace plait
