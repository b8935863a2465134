// SPDX-License-Identifier: BSD-3-Clause
/// News from the program's threads to the progress thread, and the ways to wake it.
#pragma once

#include <atomic>
#include <cstdint>

#include <plait/core/clock.hpp>

#include "attach/progress/asymmetric_order.hpp"
#include "look/sleeper.hpp"

namespace plait::attach {

/// To wake a thread costs a system call and a switch, more than many a message; so it is woken only
/// for posts that computation followed the last time (`site_data::overlaps`), or that are new.
/// While it is awake it sees all others.  Threads of the program write one at a time: they hold the
/// token, or the lock of the books.
///
/// No wake-up is lost: `sleeper` says why where both sides are sequentially consistent.  Here the
/// program counts a post by a plain store before it asks whether somebody sleeps, and the progress
/// thread calls `order_other_threads` after it has said that it does, before it reads the count
/// again.
class wakes {
 public:
  // Threads of the program
  // ---------------------------------------------------------------------------------------------
  /// A request is in flight.
  void posted(bool is_worth_it) noexcept {
    add_alone<std::int64_t>(in_flight_, 1);
    has_news(is_worth_it);
  }
  void completed() noexcept { add_alone<std::int64_t>(in_flight_, -1); }
  /// Something may be under way that no request stands for, until then.
  void left_behind(ticks until) noexcept {
    left_until_.store(until, std::memory_order_relaxed);
    has_news(true);
  }
  /// Something else is to be known, of windows.
  void has_news(bool is_worth_it) noexcept {
    store_before_loads(posts_, posts_.load(std::memory_order_relaxed) + 1);
    if (is_worth_it && sleeper_ != nullptr) sleeper_->wake(sleeper::depth::rests);
  }
  void was_inside(ticks until) noexcept { last_inside_.store(until, std::memory_order_relaxed); }
  /// Who sleeps from now on; null: nobody.  While no thread of the program is in MPI.
  void wakes_up(sleeper* who) noexcept { sleeper_ = who; }

  // The progress thread
  // ---------------------------------------------------------------------------------------------
  [[nodiscard]] std::uint64_t posts() const noexcept { return posts_.load(); }
  [[nodiscard]] std::int64_t in_flight() const noexcept {
    return in_flight_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] ticks left_until() const noexcept {
    return left_until_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] ticks last_inside() const noexcept {
    return last_inside_.load(std::memory_order_relaxed);
  }

 private:
  alignas(64) std::atomic<std::uint64_t> posts_{0};
  std::atomic<std::int64_t> in_flight_{0};
  std::atomic<ticks> last_inside_{0};
  std::atomic<ticks> left_until_{0};
  sleeper* sleeper_ = nullptr;
};

}  // namespace plait::attach
