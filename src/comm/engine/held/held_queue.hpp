// SPDX-License-Identifier: BSD-3-Clause
/// Operations whose turn has come and which wait for something that MPI knows nothing of.  Runs in
/// the holder of the token.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <vector>

#include <plait/comm/operation.hpp>
#include <plait/core/clock.hpp>

namespace plait {

/// Holder of the token only.
class held_queue {
 public:
  enum class why : std::uint8_t {
    for_its_send,        ///< a long receive, until this rank's own send to the same rank starts
    delayed_start,       ///< at random
    delayed_completion,  ///< at random: it has completed, and nobody has been told
  };
  static constexpr ticks never = INT64_MAX;
  struct entry {
    operation* op;
    why reason;
    ticks until;                           ///< it goes on at that time, whatever has happened
    ticks rest = never;                    ///< it goes on once its rank has rested for so long
    std::exception_ptr failure = nullptr;  ///< of a completion
  };

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  void hold(const entry& one);
  /// Takes out an operation whose wait is over.  Precondition: it is held.
  void release(const operation& op);
  /// Takes out those whose time is up; at `never` all.
  [[nodiscard]] std::vector<entry> take_due(ticks now);
  /// Takes out those held for that reason.
  [[nodiscard]] std::vector<entry> take_all(why reason);
  [[nodiscard]] const std::deque<entry>& list() const noexcept { return entries_; }

  /// Notes that the rank rests: nothing is in flight and who looks has nothing else to do, so that
  /// what is waited for may never come.  Other threads may be in long tasks, so that is believed
  /// only after a while without activity.
  void note_rest(ticks now) noexcept {
    if (rests_since_ == never) rests_since_ = now;
  }
  void note_activity() noexcept { rests_since_ = never; }
  /// Returns when to call `take_due` next, at the latest: nothing is due before while the rank does
  /// not rest.
  [[nodiscard]] ticks next_due() const noexcept { return next_due_; }
  /// Returns whether `take_due` may find something.
  [[nodiscard]] bool is_due(ticks now) const noexcept {
    return now >= next_due_ || (rests_since_ != never && now - rests_since_ >= shortest_rest_);
  }

 private:
  [[nodiscard]] std::vector<entry> take(const auto& which);

  std::deque<entry> entries_;  ///< the first to be held is mostly the first to be released
  ticks next_due_ = never;
  ticks shortest_rest_ = never;
  ticks rests_since_ = never;
};

}  // namespace plait
