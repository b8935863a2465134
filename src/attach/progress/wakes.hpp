// SPDX-License-Identifier: BSD-3-Clause
/// News from the program's threads to the progress thread, and the ways to wake it.
#pragma once

#include <atomic>
#include <cstdint>

#include <plait/core/clock.hpp>
#include <plait/core/event_count.hpp>

#include "attach/progress/asymmetric_order.hpp"

namespace plait::attach {

/// To wake a thread costs a system call and a switch, more than many a message; so it is woken only
/// for posts that computation followed the last time (`site_data::overlaps`), or that are new.
/// While it is awake it sees all others.  Threads of the program write one at a time: they hold the
/// token, or the lock of the books.
///
/// No wake-up is lost: `event_count` says why where both sides are sequentially consistent.  Here
/// the program counts a post by a plain store before it asks whether somebody waits, and the
/// progress thread calls `order_other_threads` after it has said that it waits, before it reads the
/// count again.
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
    if (is_worth_it) events_.notify_one();
  }
  void was_inside(ticks until) noexcept { last_inside_.store(until, std::memory_order_relaxed); }
  void stop() noexcept {
    is_stopped_.store(true, std::memory_order_seq_cst);
    events_.notify_all();
  }

  // The progress thread
  // ---------------------------------------------------------------------------------------------
  void rest(const auto& has_nothing_to_do) noexcept {
    const auto key = events_.prepare();
    order_other_threads();
    if (has_nothing_to_do() && !is_stopped()) {
      events_.wait(key, -1);
    } else {
      events_.cancel();
    }
  }
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
  [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_.load(); }

 private:
  alignas(64) std::atomic<std::uint64_t> posts_{0};
  std::atomic<std::int64_t> in_flight_{0};
  std::atomic<ticks> last_inside_{0};
  std::atomic<ticks> left_until_{0};
  std::atomic<bool> is_stopped_{false};
  alignas(64) event_count events_;
};

}  // namespace plait::attach
