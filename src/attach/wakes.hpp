// SPDX-License-Identifier: BSD-3-Clause
/// News from the program's threads to the progress thread, and the ways to wake it.
#pragma once

#include <atomic>
#include <cstdint>

#include <plait/core/clock.hpp>
#include <plait/core/event_count.hpp>

namespace plait::attach {

/// To wake a thread costs a system call and a switch, more than many a message; so it is woken only
/// for posts that computation followed the last time (`site_data::overlaps`), or that are new.
/// While it is awake it sees all others.  No wake-up is lost: counts are raised before `events_` is
/// notified, both seq_cst, and read again after `prepare` (event_count).
class wakes {
 public:
  // Threads of the program
  // ---------------------------------------------------------------------------------------------
  void posted(bool is_worth_it) noexcept {
    posts_.fetch_add(1, std::memory_order_seq_cst);
    in_flight_.fetch_add(1, std::memory_order_seq_cst);
    if (is_worth_it) events_.notify_one();
  }
  void completed() noexcept { in_flight_.fetch_sub(1, std::memory_order_relaxed); }
  void was_inside(ticks until) noexcept { last_inside_.store(until, std::memory_order_relaxed); }
  void stop() noexcept {
    is_stopped_.store(true, std::memory_order_seq_cst);
    events_.notify_all();
  }

  // The progress thread
  // ---------------------------------------------------------------------------------------------
  void rest(const auto& has_nothing_to_do) noexcept {
    const auto key = events_.prepare();
    if (has_nothing_to_do() && !is_stopped()) {
      events_.wait(key, -1);
    } else {
      events_.cancel();
    }
  }
  [[nodiscard]] std::uint64_t posts() const noexcept { return posts_.load(); }
  [[nodiscard]] std::int64_t in_flight() const noexcept { return in_flight_.load(); }
  [[nodiscard]] ticks last_inside() const noexcept {
    return last_inside_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_.load(); }

 private:
  alignas(64) std::atomic<std::uint64_t> posts_{0};
  std::atomic<std::int64_t> in_flight_{0};
  std::atomic<ticks> last_inside_{0};
  std::atomic<bool> is_stopped_{false};
  event_count events_;
};

}  // namespace plait::attach
