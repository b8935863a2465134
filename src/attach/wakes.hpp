// SPDX-License-Identifier: BSD-3-Clause
/// News from the program's threads to the progress thread, and the ways to wake it.
#pragma once

#include <atomic>
#include <cstdint>

#include <plait/core/clock.hpp>

#include "attach/asymmetric_order.hpp"
#include "attach/looking_thread.hpp"

namespace plait::attach {

/// To wake a thread costs a system call and a switch, more than many a message; so it is woken only
/// for posts that computation followed the last time (`site_data::overlaps`), or that are new.
/// While it is awake it sees all others.  Threads of the program write one at a time: they hold the
/// token, or the lock of the books.
///
/// No wake-up is lost: a post is counted before `is_asleep_` is read, and the progress thread sets
/// that before it reads the count again, with `order_other_threads` in between.  So either the
/// program sees that the thread sleeps, or the thread sees the post.  The program may set
/// `is_asleep_` to false late, when the thread has set it once more; but it writes to the thread's
/// descriptor after that, which ends the sleep that the flag no longer tells of.
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
    if (is_worth_it && is_asleep_.load(std::memory_order_seq_cst)) [[unlikely]]
      wake();
  }
  void was_inside(ticks until) noexcept { last_inside_.store(until, std::memory_order_relaxed); }
  void stop() noexcept {
    is_stopped_.store(true, std::memory_order_seq_cst);
    wake();
  }

  // The progress thread
  // ---------------------------------------------------------------------------------------------
  /// Sleeps, by a call of `sleep` that `wake_looking_thread` ends, if there is still nothing to do.
  void rest(const auto& has_nothing_to_do, const auto& sleep) noexcept {
    is_asleep_.store(true, std::memory_order_seq_cst);
    order_other_threads();
    if (has_nothing_to_do() && !is_stopped()) sleep();
    is_asleep_.store(false, std::memory_order_seq_cst);
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
  void wake() noexcept {
    is_asleep_.store(false, std::memory_order_relaxed);
    wake_looking_thread();
  }

  alignas(64) std::atomic<std::uint64_t> posts_{0};
  std::atomic<std::int64_t> in_flight_{0};
  std::atomic<ticks> last_inside_{0};
  std::atomic<ticks> left_until_{0};
  std::atomic<bool> is_stopped_{false};
  alignas(64) std::atomic<bool> is_asleep_{false};
};

}  // namespace plait::attach
