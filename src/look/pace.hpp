// SPDX-License-Identifier: BSD-3-Clause
/// Decides whether the proxy, or the thread of `plait attach`, looks after messages now, and how it
/// spends the time until then.  Pure: no clock is read, nothing sleeps, nothing is kept.
#pragma once

#include <algorithm>
#include <cstdint>

#include <plait/core/clock.hpp>

#include "look/numbers.hpp"

namespace plait {

/// Facts at the moment of a decision.  Times are `now_ticks`.
struct pace_facts {
  ticks now = 0;
  ticks last_look = 0;  ///< by any thread that looks after all there is
  ticks moved = 0;      ///< when something came to be expected or completed last
  /// For so long others have looked often enough without this thread, and they still do; negative:
  /// they do not.  Workers between short tasks, a thread that polls, a program that is in MPI.
  ticks others_for = -1;
  bool is_told = false;    ///< of all that moves, by sockets
  bool has_news = false;   ///< of sockets, worth a look
  ticks silent_since = 0;  ///< bytes came last, and wait for a look; 0: none do
};

/// Bounds of one thread.
struct pace_limits {
  ticks shortest;        ///< between two looks, where nobody tells of anything
  ticks worst;           ///< between two looks, at most, until the wait has been long
  ticks longest_wait;    ///< between two looks, at most, after a long wait
  ticks shortest_leave;  ///< for which messages are left to others at a stretch, at least
  ticks longest_leave;   ///< for which messages are left to others at a stretch, at most
  bool listens = true;   ///< to sockets

  /// `sharers`: ranks that share a core.  Each has a part of it only, and each look keeps the core
  /// from ranks that could go on, so all times are as many times as long.
  [[nodiscard]] static pace_limits up_to(double worst_s, int sharers = 1) noexcept {
    const ticks worst = seconds_to_ticks(worst_s);
    const ticks shortest =
        std::min(worst, seconds_to_ticks(sharers * look_numbers::shortest_distance_s));
    return {.shortest = shortest,
            .worst = worst,
            .longest_wait = look_numbers::longest_distance * worst,
            .shortest_leave = std::min(worst, look_numbers::distances_left_to_others * shortest),
            .longest_leave = look_numbers::longest_leave * worst};
  }
  /// Looks at fixed intervals, whatever moves.
  [[nodiscard]] static pace_limits fixed(double interval_s) noexcept {
    const ticks interval = seconds_to_ticks(interval_s);
    return {interval, interval, interval, interval, interval, false};
  }
};

/// A decision: look, sleep until then or until sockets have news (`listen`), or sleep until then in
/// any case (`leave`: others look, or sockets do not count).
struct pace_verdict {
  enum class kind : std::uint8_t { look, listen, leave } what;
  ticks until = 0;
  friend bool operator==(const pace_verdict&, const pace_verdict&) = default;
};

/// Returns the time from one look to the next where nobody tells of anything.  A look costs some
/// microseconds even if nothing has happened, and 70 to 180 us of cold caches for the computation
/// beside it on a virtual machine; too late a look leaves the link idle.  So a look comes soon
/// after something has moved, and then after as long again as it had waited at the last look. Where
/// sockets tell of everything, the time is always the longest.  After a long wait it is up to
/// `longest_distance` times the worst, which is then little of the wait.
[[nodiscard]] inline ticks pace_distance(const pace_facts& f, const pace_limits& by) noexcept {
  const ticks longest =
      std::clamp((f.now - f.moved) / look_numbers::patience, by.worst, by.longest_wait);
  if (f.is_told) return longest;
  return std::clamp(f.last_look - f.moved, by.shortest, longest);
}

/// Decides.  News counts before all else.  What others look after is left to them for as long again
/// as they have: a long task after short ones goes unwatched for that long at most.  Bytes that are
/// no news by themselves are, once none have followed for a while: the other side may wait for an
/// answer.
[[nodiscard]] inline pace_verdict decide(const pace_facts& f, const pace_limits& by) noexcept {
  using enum pace_verdict::kind;
  if (f.has_news) return {look};
  if (f.others_for >= 0) {
    return {leave, f.now + std::clamp(f.others_for, by.shortest_leave, by.longest_leave)};
  }
  ticks due = f.last_look + pace_distance(f, by);
  if (f.silent_since != 0) due = std::min(due, f.silent_since + by.shortest);
  if (f.now >= due) return {look};
  return {by.listens ? listen : leave, due};
}

}  // namespace plait
