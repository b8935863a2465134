// SPDX-License-Identifier: BSD-3-Clause
/// Lists what workers poll: communication, and what has been added beside it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>
#include <plait/task/progress_source.hpp>
#include <plait/task/scheduler.hpp>

namespace plait::detail {

/// Any thread asks and polls.  The submitting thread adds and removes.
///
/// Why nobody uses a source that has been removed: whoever uses a place raises its `users` and then
/// reads its `source`; who removes writes null there and then reads `users`.  All four are
/// sequentially consistent.  In their single order either the user's read comes after the null, so
/// the user finds nothing, or the remover's read comes after the raise, so the remover waits.
class progress_sources {
 public:
  explicit progress_sources(progress_source* communication) noexcept
      : communication_(communication),
        messages_need_workers_(communication != nullptr && communication->needs_idle_workers()) {}

  void add(progress_source& one) {
    const auto free = std::ranges::find_if(places_, [](const place& p) {
      return p.source.load(std::memory_order_relaxed) == nullptr;
    });
    if (free == places_.end())
      throw usage_error("a scheduler has " + std::to_string(most) +
                        " added progress sources at most");
    free->source.store(&one, std::memory_order_seq_cst);
    added_.fetch_add(1, std::memory_order_seq_cst);
    any_.store(true, std::memory_order_relaxed);
  }
  void remove(progress_source& one) {
    const auto at = std::ranges::find_if(
        places_, [&](const place& p) { return p.source.load(std::memory_order_relaxed) == &one; });
    PLAIT_EXPECTS(at != places_.end(), "the progress source was added to this scheduler");
    const bool more = added_.fetch_sub(1, std::memory_order_seq_cst) > 1;
    any_.store(communication_ != nullptr || more, std::memory_order_relaxed);
    at->source.store(nullptr, std::memory_order_seq_cst);
    while (at->users.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();
  }

  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  bool poll(bool again) {
    bool worked = false;
    for_each([&](progress_source& one) { worked = one.poll(again) || worked; });
    return worked;
  }
  /// ... of communication.
  [[nodiscard]] bool starts_begin() {
    return communication_ != nullptr && communication_->starts_begin();
  }
  void starts_end() { communication_->starts_end(); }
  bool poll_added() {
    bool worked = false;
    for_each_added([&](progress_source& one) { worked = one.poll(false) || worked; });
    return worked;
  }
  [[nodiscard]] ticks idle_wait(ticks awake_since) {
    ticks wait = progress_source::never;
    for_each([&](progress_source& one) { wait = std::min(wait, one.idle_wait(awake_since)); });
    return wait;
  }
  [[gnu::noinline, nodiscard]] bool needs_idle_workers() {
    bool needs = messages_need_workers_;
    for_each_added([&](progress_source& one) { needs = needs || one.needs_idle_workers(); });
    return needs;
  }
  /// Communication alone counts as in flight.
  [[nodiscard]] ticks in_flight_until(ticks now) const {
    return communication_ != nullptr ? communication_->in_flight_until(now) : 0;
  }
  /// Returns whether communication is in flight now.
  [[nodiscard]] bool in_flight() const {
    const ticks now = now_ticks();
    return in_flight_until(now + 1) != in_flight_until(now);
  }
  [[nodiscard]] bool cancel() {
    bool ended = true;
    for_each([&](progress_source& one) { ended = one.cancel() && ended; });
    return ended;
  }
  [[nodiscard]] ticks due_at() {
    const ticks due = communication_ != nullptr ? communication_->due_at() : progress_source::never;
    return has_added() ? std::min(due, added_due_at()) : due;
  }
  /// Says that a task has ended, if they may ask for a look.  Returns whether one is due.
  [[nodiscard]] bool passed_when_due() {
    const ticks due = due_at();
    if (due == progress_source::never) return false;
    const ticks now = now_ticks();
    passed(now);
    return now >= due;
  }
  [[gnu::noinline]] ticks added_due_at() {
    ticks due = progress_source::never;
    for_each_added([&](progress_source& one) { due = std::min(due, one.due_at()); });
    return due;
  }
  void passed(ticks now) {
    for_each([&](progress_source& one) { one.passed(now); });
  }

 private:
  static constexpr std::size_t most = scheduler::most_added_sources;

  struct place {
    std::atomic<progress_source*> source{nullptr};
    std::atomic<int> users{0};
  };

  [[nodiscard]] bool has_added() const noexcept {
    return added_.load(std::memory_order_relaxed) != 0;
  }
  void for_each(const auto& use) {
    if (communication_ != nullptr) use(*communication_);
    for_each_added(use);
  }
  void for_each_added(const auto& use) {
    if (!has_added()) return;
    for (place& p : places_) {
      if (p.source.load(std::memory_order_relaxed) == nullptr) continue;
      p.users.fetch_add(1, std::memory_order_seq_cst);
      if (progress_source* const one = p.source.load(std::memory_order_seq_cst)) use(*one);
      p.users.fetch_sub(1, std::memory_order_seq_cst);
    }
  }

  progress_source* const communication_;
  const bool messages_need_workers_;
  std::atomic<int> added_{0};
  std::atomic<bool> any_{communication_ != nullptr};
  std::array<place, most> places_;
};

}  // namespace plait::detail
