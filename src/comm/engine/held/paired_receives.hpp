// SPDX-License-Identifier: BSD-3-Clause
/// Learns whether long receives should wait for this rank's own long messages to the same rank, and
/// for how long.  Runs in the holder of the token.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>

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
/// So where long messages from a rank and to it come in pairs, the n-th receive waits until the
/// n-th send starts.  What a rank's messages are like is learnt: some pairs come first, in which
/// nothing waits.  A send is paired with a receive that is still under way when it starts: so
/// programs whose sends wait for the receives keep none, nor do those that send nothing back.  What
/// was learnt may be wrong, so each receive starts in the end: when it has waited for twice as long
/// as pairs took before, or for half as long while its rank rests.  Each of those is a failure,
/// after which twice as many pairs as before come first.
///
/// Holder of the token only.  `peer`: among all ranks.
class paired_receives {
 public:
  /// The time that a receive waits for its send.
  struct wait {
    ticks until;
    ticks rest;  ///< while its rank rests
  };

  /// `is_on`: where it may pay.
  explicit paired_receives(bool is_on) noexcept : is_on_(is_on) {}

  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  /// Returns for how long the receive is to wait; nothing: it starts now.  Its turn on its channel
  /// has come.
  [[nodiscard]] std::optional<wait> keeps(operation& receive, int peer, ticks now);
  /// Returns the receive that may start now that a send has started, or null.  `under_way`:
  /// operations that have started and not completed.
  [[nodiscard]] operation* sent(int peer, ticks now, std::span<operation* const> under_way);
  /// The receive starts before its send.  `has_failed`: since it has waited for too long.
  void starts_alone(const operation& receive, int peer, bool has_failed) noexcept;

  static constexpr int first_pairs_needed = 2;
  /// From this size a message asks its receiver before the rest of it follows, but for some bytes
  /// of the library's own in front.  (Open MPI: 64 KiB.)
  static constexpr std::size_t asks_from_bytes = (64 << 10) - 256;

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

  static void note_pair(traffic& with, ticks gap) noexcept;
  static void fail(traffic& with) noexcept;

  const bool is_on_;
  std::unordered_map<int, traffic> peers_;
};

}  // namespace plait
