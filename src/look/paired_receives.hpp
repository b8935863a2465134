// SPDX-License-Identifier: BSD-3-Clause
/// Learns whether long receives should wait for this rank's own long messages to the same rank, and
/// for how long.  No MPI, and no clock is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>

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
/// One thread at a time.  `Operation` has a `sequence` that tells its lives apart.  `peer`: among
/// all ranks.
template <class Operation>
class basic_paired_receives {
 public:
  /// The time that a receive waits for its send.
  struct wait {
    ticks until;
    ticks rest;  ///< while its rank rests
  };

  /// `is_on`: where it may pay.  `second`: in the ticks of the times below.
  explicit basic_paired_receives(bool is_on, ticks second = seconds_to_ticks(1)) noexcept
      : is_on_(is_on), second_(second) {}

  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  /// Returns for how long the receive is to wait; nothing: it starts now.  Its turn on its channel
  /// has come.
  [[nodiscard]] std::optional<wait> keeps(Operation& receive, int peer, ticks now);
  /// Returns the receive that may start now that a send has started, or null.  `under_way`:
  /// operations that have started and not completed.
  [[nodiscard]] Operation* sent(int peer, ticks now, std::span<Operation* const> under_way);
  /// The receive starts before its send.  `has_failed`: since it has waited for too long.
  void starts_alone(const Operation& receive, int peer, bool has_failed) noexcept;
  /// Returns whether a long message has met another one that came the other way.
  [[nodiscard]] bool has_pairs() const noexcept {
    return std::ranges::any_of(peers_, [](const auto& one) { return one.second.pairs > 0; });
  }
  /// Forgets all messages, as between two runs of one program, and keeps what they were like.
  void begin_anew() noexcept;

  static constexpr int first_pairs_needed = 2;
  /// From this size a message asks its receiver before the rest of it follows, but for some bytes
  /// of the library's own in front.  (Open MPI: 64 KiB.)
  static constexpr std::size_t asks_from_bytes = (64 << 10) - 256;

 private:
  struct unpaired {
    Operation* receive = nullptr;  ///< may have completed, unless it is kept
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
  /// More receives or sends than that in a row are no exchange.
  static constexpr int most_in_a_row = 64;

  [[nodiscard]] ticks slack() const noexcept { return second_ / 1000; }
  /// Pairs that take longer are not worth the memory of them.
  [[nodiscard]] ticks longest_gap() const noexcept { return second_ / 2; }
  void note_pair(traffic& with, ticks gap) noexcept;
  static void fail(traffic& with) noexcept;

  const bool is_on_;
  const ticks second_;
  std::unordered_map<int, traffic> peers_;
};

template <class Operation>
auto basic_paired_receives<Operation>::keeps(Operation& receive, int peer, ticks now)
    -> std::optional<wait> {
  traffic& with = peers_[peer];
  if (with.surplus > 0) {
    --with.surplus;
    return std::nullopt;
  }
  if (std::ssize(with.receives) >= most_in_a_row && !with.receives.front().is_kept) {
    with.receives.pop_front();
    fail(with);
  }
  const bool keeps_it = with.pairs >= with.pairs_needed;
  with.receives.push_back({&receive, receive.sequence, now, keeps_it});
  if (!keeps_it) return std::nullopt;
  return wait{.until = now + 2 * with.gap + slack(), .rest = with.gap / 2 + slack()};
}

template <class Operation>
Operation* basic_paired_receives<Operation>::sent(int peer, ticks now,
                                                  std::span<Operation* const> under_way) {
  traffic& with = peers_[peer];
  if (with.receives.empty()) {
    if (++with.surplus > most_in_a_row) {
      with.surplus = 0;
      fail(with);
    }
    return nullptr;
  }
  const unpaired first = with.receives.front();
  with.receives.pop_front();
  if (first.is_kept) {
    note_pair(with, now - first.posted);
    return first.receive;
  }
  const bool is_under_way = std::ranges::any_of(under_way, [&first](const Operation* one) {
    return one == first.receive && one->sequence == first.sequence;
  });
  if (is_under_way) {
    note_pair(with, now - first.posted);
  } else {
    with.pairs = 0;
  }
  return nullptr;
}

template <class Operation>
void basic_paired_receives<Operation>::note_pair(traffic& with, ticks gap) noexcept {
  if (gap > longest_gap()) return fail(with);
  // Of two steps that are submitted together, the first has no gap and the second a whole step; and
  // a step may have many pairs.
  constexpr ticks memory_pairs = 64;
  with.pairs = std::min(with.pairs + 1, with.pairs_needed);
  with.gap = std::max(gap, with.gap - with.gap / memory_pairs);
}

template <class Operation>
void basic_paired_receives<Operation>::fail(traffic& with) noexcept {
  constexpr int most_pairs = 1 << 16;
  if (with.pairs >= with.pairs_needed)
    with.pairs_needed = std::min(2 * with.pairs_needed, most_pairs);
  with.pairs = 0;
}

template <class Operation>
void basic_paired_receives<Operation>::starts_alone(const Operation& receive, int peer,
                                                    bool has_failed) noexcept {
  traffic& with = peers_[peer];
  const auto one = std::ranges::find_if(
      with.receives, [&](const unpaired& r) { return r.is_kept && r.receive == &receive; });
  if (one != with.receives.end()) one->is_kept = false;
  if (has_failed) fail(with);
}

template <class Operation>
void basic_paired_receives<Operation>::begin_anew() noexcept {
  for (auto& [_, with] : peers_) {
    with.receives.clear();
    with.surplus = 0;
    if (with.pairs > 0) with.pairs = with.pairs_needed;
  }
}

}  // namespace plait
