// SPDX-License-Identifier: BSD-3-Clause
/// Keeps long receives back until this rank's own long messages to the same rank have started.
/// Runs in the holder of the token.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include <plait/comm/operation.hpp>
#include <plait/core/clock.hpp>

namespace plait {

/// Over TCP the data of one long message and the answers to requests to send share one stream.  Two
/// ranks that exchange long messages should post their receives and sends together: a rank whose
/// receive has waited for long lets the other's data come at once, and its own request is then
/// answered behind that data.  The messages go one after the other, not both ways at once, and so
/// do those of every later step.  [bench progress, MPICH, 2 MiB each way at 1 Gbit/s beside tasks
/// of 100 us, receives submitted a step ahead: 31.7 ms, by hand 20.8, and 19.8]
///
/// So where long messages from a rank and to it come in pairs, the n-th receive is kept until the
/// n-th send starts.  What a rank's messages are like is learnt: some pairs come first, in which
/// nothing is kept.  A send is paired with a receive that is still under way when it starts: so
/// programs whose sends wait for the receives keep none, nor do those that send nothing back.  What
/// was learnt may be wrong, so each receive starts in the end: when it has been kept for twice as
/// long as pairs took before, or for half as long while its rank rests.  Each of those is a
/// failure, after which twice as many pairs as before come first.
///
/// Holder of the token only.
class paired_receives {
 public:
  /// `is_on`: where it may pay.
  explicit paired_receives(bool is_on) noexcept : is_on_(is_on) {}

  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  /// Returns true if the receive is to be kept; otherwise it starts now.  Its turn on its channel
  /// has come.  `peer`: among all ranks.
  [[nodiscard]] bool keeps(operation& receive, int peer, ticks now);
  /// Returns the receive that may start now that a send has started, or null.  `under_way`:
  /// operations that have started and not completed.
  [[nodiscard]] operation* sent(int peer, ticks now, std::span<operation* const> under_way);

  /// Notes that the rank rests: nothing is in flight and who looks has nothing else to do, so that
  /// no send may ever come.  Other threads may be in long tasks, so that is believed only after a
  /// while without activity.
  void note_rest(ticks now) noexcept {
    if (rests_since_ == never) rests_since_ = now;
  }
  void note_activity() noexcept { rests_since_ = never; }
  [[nodiscard]] bool empty() const noexcept { return kept_ == 0; }
  /// Returns when to call `take_due` next, at the latest: none of those that are kept is due
  /// before.
  [[nodiscard]] ticks next_due() const noexcept { return next_due_; }
  /// Returns whether `take_due` may find something.
  [[nodiscard]] bool is_due(ticks now) const noexcept {
    return now >= next_due_ || (rests_since_ != never && now >= rests_since_ + shortest_rest_);
  }
  /// Takes out those that have been kept for too long.
  [[nodiscard]] std::vector<operation*> take_due(ticks now);
  /// Takes out all.  No failure.
  [[nodiscard]] std::vector<operation*> take_all();
  [[nodiscard]] std::vector<operation*> list() const;

  static constexpr int first_pairs_needed = 2;

 private:
  struct unpaired {
    operation* receive = nullptr;  ///< may have completed, unless it is kept
    std::uint64_t sequence = 0;
    ticks posted = 0;
    bool is_kept = false;
  };
  struct traffic {
    std::deque<unpaired> receives;  ///< whose sends have not started
    int surplus = 0;                ///< sends whose receives have not been posted
    int pairs = 0;                  ///< since the last failure, as far as it matters
    int pairs_needed = first_pairs_needed;
    ticks gap = 0;  ///< from receive to send, the longest of late
  };

  [[nodiscard]] bool is_due(const unpaired& one, const traffic& with, ticks now) const noexcept;
  void note_pair(traffic& with, ticks gap) noexcept;
  static void fail(traffic& with) noexcept;

  static constexpr ticks never = INT64_MAX;

  const bool is_on_;
  int kept_ = 0;
  ticks next_due_ = never;
  ticks rests_since_ = never;
  ticks shortest_rest_ = 0;  ///< before `take_due` is worth the while
  std::unordered_map<int, traffic> peers_;
};

}  // namespace plait
