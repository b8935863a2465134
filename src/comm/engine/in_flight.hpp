// SPDX-License-Identifier: BSD-3-Clause
/// Operations that were started and have not completed: messages, windows, requests of the
/// program's own.  Starts and tests them, and keeps the times of starts and looks.  Runs in the
/// holder of the token.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include <mpi.h>
#include <plait/comm/engine.hpp>
#include <plait/comm/environment.hpp>
#include <plait/core/clock.hpp>

#include "comm/engine/activity.hpp"
#include "comm/engine/completer.hpp"
#include "comm/engine/flight_clock.hpp"
#include "comm/engine/moment.hpp"
#include "comm/engine/served_windows.hpp"
#include "comm/engine/transfer.hpp"
#include "comm/engine/watched.hpp"
#include "comm/library_collectives.hpp"
#include "comm/matching/matching_space.hpp"
#include "look/look_schedule.hpp"
#include "look/numbers.hpp"

namespace plait {

/// Ways for a step to look for completed operations: not at all; at all of them; or, as one look of
/// many without pause, at some of them up to four times.
enum class look : std::uint8_t { no, once, again };

/// Holder of the token only, but for what says otherwise.
class in_flight {
 public:
  in_flight(const mpi_token& token, activity& state, completer& tell, double poll_every_s,
            double worst_delay_s)
      : token_(token),
        state_(state),
        tell_(tell),
        looks_(poll_every_s > 0 ? poll_every_s : look_numbers::first_s, worst_delay_s) {}

  [[nodiscard]] bool nothing() const noexcept {
    return transfers_.empty() && watched_.empty() && windows_.in_flight() == 0;
  }
  [[nodiscard]] bool nothing_to_look_after() const noexcept {
    return nothing() && windows_.empty();
  }
  /// ... on behalf of what is in flight.
  [[nodiscard]] bool mpi_uses_memory() const noexcept {
    return lost_ || !transfers_.empty() || windows_.in_flight() > 0;
  }

  /// The operation's turn has come.  It may complete at once.
  void start(operation& op, moment& when);
  /// See `engine::start_at_once`, and if `succeeds` is not null, `engine::enqueue_and_start`.
  [[nodiscard]] engine::at_once start_at_once(operation& op, engine::successor succeeds);
  void start_one_sided(operation& op, moment& when);
  void watch(awaited& what);
  void serve(served_window& window);
  void stop_serving(served_window& window);

  /// Looks once after all there is, `which` not `no`.  Returns whether anything has completed or
  /// moved.
  bool look_after(look which);
  void look_by(ticks at, ticks now) noexcept { looks_.look_by(at, now); }
  void rest_if_done() noexcept {
    if (nothing_to_look_after()) looks_.rest();
  }

  // After a failure
  // ---------------------------------------------------------------------------------------------
  void give_up_windows() { windows_.give_up(tell_); }
  void cancel_receives() noexcept { transfers_.cancel_receives(); }
  void drop_messages_to_self(const matching_space& among) noexcept {
    transfers_.drop_messages_to_self(among);
  }

  /// Collective in some libraries.
  void close() noexcept { library_.close(); }

  [[nodiscard]] const transfer_set& transfers() const noexcept { return transfers_; }
  [[nodiscard]] const std::vector<served_window*>& windows() const noexcept {
    return windows_.list();
  }

  // Any thread
  // ---------------------------------------------------------------------------------------------
  /// `next`, `overdue`, `last` and what does not change.
  [[nodiscard]] const look_schedule& looks() const noexcept { return looks_; }
  [[nodiscard]] const flight_clock& flight() const noexcept { return flight_; }
  [[nodiscard]] std::uint64_t polls() const noexcept { return polls_.load(); }
  /// Returns the number of times that something came to be expected of other ranks: an operation
  /// that did not complete at once, a wait, a window, and what moved at a window, which more may
  /// follow.
  [[nodiscard]] std::uint64_t expectations() const noexcept {
    return expectations_.load(std::memory_order_relaxed);
  }

 private:
  /// One more is in flight.  `first`: nothing was.
  [[gnu::always_inline]] void note_expected(bool first, moment& when) noexcept {
    if (first) flight_.take_off(when.now());
    raise_count(expectations_);
    if (looks_.wants_to_know_of_posts()) {
      looks_.posted(when.now());
    } else {
      looks_.posted_since_last();
    }
  }
  /// Ends the process where there is no memory: MPI has the request, and nobody could follow it.
  void keep(operation& op, MPI_Request request) noexcept {
    moment when;
    const bool first = nothing();
    state_.one_more();
    transfers_.add(op, request);
    note_expected(first, when);
    op.posted_at = looks_.last();
  }
  bool test(look which);
  bool test_watched() { return !watched_.empty() && test_all_watched(); }
  /// Returns what a look costs that finds nothing, if there are so many that this matters.
  [[nodiscard]] ticks look_price() const noexcept {
    return seconds_to_ticks(5e-9 * static_cast<double>(transfers_.operations().size()) +
                            watched_.look_s());
  }
  bool test_all_watched();

  const mpi_token& token_;
  activity& state_;
  completer& tell_;
  transfer_set transfers_;
  collective::library_collectives library_;
  bool completed_since_looked_ = false;  ///< not told to `looks_`
  bool lost_ = false;  ///< MPI has requests that can be followed no more, and their buffers
  watched_set watched_;
  served_windows windows_;
  flight_clock flight_;
  look_schedule looks_;
  std::atomic<std::uint64_t> polls_{0};
  std::atomic<std::uint64_t> expectations_{0};
};

inline void in_flight::start(operation& op, moment& when) {
  channel& via = *op.via;
  (void)via.starts(op);
  if (is_left_out(op)) return tell_.complete(op, nullptr);
  try {
    const bool first = nothing();
    if (op.what == operation::kind::collective) {
      transfers_.add(op, library_.start(*op.call, via.among()->messages));
    } else {
      const MPI_Request request = transfers_.start(op, via.mpi_tag(op), via.among()->messages);
      const bool may_be_over = op.what == operation::kind::send && is_small(op);
      if (may_be_over && transfers_.is_sent(request)) return tell_.complete(op, nullptr);
      transfers_.add(op, request);
    }
    note_expected(first, when);
  } catch (...) {
    tell_.complete(op, std::current_exception());
  }
}

[[gnu::always_inline]] inline engine::at_once in_flight::start_at_once(operation& op,
                                                                       engine::successor succeeds) {
  channel& via = *op.via;
  // Asked by the holder: who gives up does so as the holder.
  if (state_.is_given_up() || !via.starts(op)) return engine::at_once::later;
  const MPI_Request request = transfers_.start(op, via.mpi_tag(op), via.among()->messages);
  if (op.what == operation::kind::send) {
    if (is_small(op) && transfers_.is_sent(request)) {
      tell_.count_one();
      return engine::at_once::over;
    }
  } else if (is_small(op) && via.tests_at_start()) {
    std::exception_ptr failure;
    if (transfers_.is_received(op, request, failure)) {
      tell_.count_one();
      if (failure == nullptr && !op.varies) return engine::at_once::over;
      if (succeeds != nullptr) std::rethrow_exception(failure);
      op.completed(op, failure);
      return engine::at_once::under_way;
    }
  }
  keep(succeeds == nullptr ? op : succeeds(op), request);
  return engine::at_once::under_way;
}

inline bool in_flight::look_after(look which) {
  bool completed = test(which);
  completed = test_watched() || completed;
  if (windows_.look(tell_)) {
    completed = true;
    raise_count(expectations_);
  }
  raise_count(polls_);
  completed_since_looked_ = completed_since_looked_ || completed;
  // Whoever polls without pause reads the clock for one look in 16, and when nothing is left in
  // flight.  [profile of an 8-byte ping-pong: clock readings were a third of plait's part of it]
  const bool landed = completed && nothing();
  if (landed || which == look::once || polls_.load(std::memory_order_relaxed) % 16 == 0) {
    const ticks now = now_ticks();
    if (landed) flight_.land(now);
    const bool goes_on = !nothing_to_look_after();
    looks_.looked(now, std::exchange(completed_since_looked_, false), goes_on,
                  goes_on ? look_price() : 0);
  }
  return completed;
}

inline bool in_flight::test(look which) {
  // A test that finds nothing lets MPI progress, and what that has completed the next one finds.
  // Who has nothing else to do asks again at once: the way back to it costs as much as a test.
  int tries = which == look::again ? 4 : 1;
  const auto asks_again = [&] {
    return --tries > 0 && !token_.wanted() && !state_.any_posted_lately();
  };
  try {
    while (transfers_.is_one()) {
      const transfer_set::finished one = transfers_.test_one();
      if (one.op != nullptr) {
        tell_.complete(*one.op, one.failure);
        return true;
      }
      if (!asks_again()) return false;
    }
    auto finished = transfers_.test(which != look::again);
    while (finished.empty() && !transfers_.empty() && asks_again())
      finished = transfers_.test(false);
    for (const auto& [op, failure] : finished) tell_.complete(*op, failure);
    return !finished.empty();
  } catch (...) {
    // The library refuses the call itself: nothing in flight can be followed any more.
    const auto failure = std::current_exception();
    lost_ = true;
    for (operation* op : transfers_.abandon()) tell_.complete(*op, failure);
    return true;
  }
}

}  // namespace plait
