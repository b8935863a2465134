// SPDX-License-Identifier: BSD-3-Clause
// All of it runs in the thread that holds the token.
#include "comm/engine/held/paired_receives.hpp"

#include <algorithm>
#include <utility>

namespace plait {
namespace {

/// More receives or sends than that in a row are no exchange.
constexpr int most_in_a_row = 64;
/// Pairs that take longer are not worth the memory of them.
constexpr double longest_gap_s = 0.5;
constexpr double slack_s = 1e-3;

/// For how long a rank rests before its receives start.
[[nodiscard]] ticks rest_of(ticks gap) noexcept {
  return gap / 2 + seconds_to_ticks(slack_s);
}

}  // namespace

bool paired_receives::keeps(operation& receive, int peer, ticks now) {
  traffic& with = peers_[peer];
  if (with.surplus > 0) {
    --with.surplus;
    return false;
  }
  if (std::ssize(with.receives) >= most_in_a_row && !with.receives.front().is_kept) {
    with.receives.pop_front();
    fail(with);
  }
  const bool keeps_it = with.pairs >= with.pairs_needed;
  with.receives.push_back({&receive, receive.sequence, now, keeps_it});
  if (!keeps_it) return false;
  receive.held_until = now + 2 * with.gap + seconds_to_ticks(slack_s);
  next_due_ = std::min(next_due_, receive.held_until);
  shortest_rest_ = kept_ == 0 ? rest_of(with.gap) : std::min(shortest_rest_, rest_of(with.gap));
  rests_since_ = never;
  ++kept_;
  return true;
}

operation* paired_receives::sent(int peer, ticks now, std::span<operation* const> under_way) {
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
    --kept_;
    return first.receive;
  }
  const bool is_under_way = std::ranges::any_of(under_way, [&first](const operation* one) {
    return one == first.receive && one->sequence == first.sequence;
  });
  if (is_under_way) {
    note_pair(with, now - first.posted);
  } else {
    with.pairs = 0;
  }
  return nullptr;
}

void paired_receives::note_pair(traffic& with, ticks gap) noexcept {
  if (gap > seconds_to_ticks(longest_gap_s)) return fail(with);
  // Of two steps that are submitted together, the first has no gap and the second a whole step; and
  // a step may have many pairs.
  constexpr ticks memory_pairs = 64;
  with.pairs = std::min(with.pairs + 1, with.pairs_needed);
  with.gap = std::max(gap, with.gap - with.gap / memory_pairs);
}

void paired_receives::fail(traffic& with) noexcept {
  constexpr int most_pairs = 1 << 16;
  if (with.pairs >= with.pairs_needed)
    with.pairs_needed = std::min(2 * with.pairs_needed, most_pairs);
  with.pairs = 0;
}

bool paired_receives::is_due(const unpaired& one, const traffic& with, ticks now) const noexcept {
  if (one.receive->held_until <= now) return true;
  return rests_since_ != never && rests_since_ + rest_of(with.gap) <= now;
}

std::vector<operation*> paired_receives::take_due(ticks now) {
  std::vector<operation*> taken;
  next_due_ = never;
  shortest_rest_ = never / 2;
  for (auto& [peer, with] : peers_) {
    bool failed = false;
    for (unpaired& one : with.receives) {
      if (!one.is_kept) continue;
      if (is_due(one, with, now)) {
        taken.push_back(one.receive);
        one.is_kept = false;
        failed = true;
      } else {
        next_due_ = std::min(next_due_, one.receive->held_until);
        shortest_rest_ = std::min(shortest_rest_, rest_of(with.gap));
      }
    }
    if (failed) fail(with);
  }
  kept_ -= static_cast<int>(taken.size());
  return taken;
}

std::vector<operation*> paired_receives::take_all() {
  std::vector<operation*> taken;
  if (empty()) return taken;
  for (auto& [peer, with] : peers_) {
    for (unpaired& one : with.receives) {
      if (std::exchange(one.is_kept, false)) taken.push_back(one.receive);
    }
  }
  kept_ = 0;
  next_due_ = never;
  return taken;
}

std::vector<operation*> paired_receives::list() const {
  std::vector<operation*> all;
  for (const auto& [peer, with] : peers_) {
    for (const unpaired& one : with.receives) {
      if (one.is_kept) all.push_back(one.receive);
    }
  }
  return all;
}

}  // namespace plait
