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

}  // namespace

std::optional<paired_receives::wait> paired_receives::keeps(operation& receive, int peer,
                                                            ticks now) {
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
  const ticks slack = seconds_to_ticks(slack_s);
  return wait{.until = now + 2 * with.gap + slack, .rest = with.gap / 2 + slack};
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

void paired_receives::starts_alone(const operation& receive, int peer, bool has_failed) noexcept {
  traffic& with = peers_[peer];
  const auto one = std::ranges::find_if(
      with.receives, [&](const unpaired& r) { return r.is_kept && r.receive == &receive; });
  if (one != with.receives.end()) one->is_kept = false;
  if (has_failed) fail(with);
}

}  // namespace plait
