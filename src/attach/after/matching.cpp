// SPDX-License-Identifier: BSD-3-Clause
#include "attach/after/matching.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace plait::attach {
namespace {

struct message_end {
  std::uint64_t communicator;
  std::int32_t source;
  std::int32_t target;
  std::int32_t tag;
  bool is_receive;
  std::uint32_t turn;
  record_place at;

  [[nodiscard]] auto channel() const noexcept {
    return std::tie(communicator, source, target, tag);
  }
  [[nodiscard]] auto key() const noexcept {
    return std::tie(communicator, source, target, tag, is_receive, turn);
  }
};

[[nodiscard]] std::vector<message_end> ends_of(std::span<const rank_profile> ranks, bool by_place) {
  std::vector<message_end> ends;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const std::int32_t own = ranks[r].header.rank;
    for (std::uint32_t i = 0; i < ranks[r].records.size(); ++i) {
      const record_data& one = ranks[r].records[i];
      const std::uint32_t turn = by_place ? one.place : one.order;
      if (one.kind == record_kind::send) {
        ends.push_back({one.communicator, own, one.peer, one.tag, false, turn, {r, i}});
      } else if (one.kind == record_kind::receive) {
        ends.push_back({one.communicator, one.peer, own, one.tag, true, turn, {r, i}});
      }
    }
  }
  std::ranges::sort(ends, [](const auto& a, const auto& b) { return a.key() < b.key(); });
  return ends;
}

void match_messages(std::span<const rank_profile> ranks, matched_records& to) {
  const bool by_place =
      std::ranges::any_of(ranks, [](const rank_profile& one) { return one.header.sampling != 0; });
  const std::vector<message_end> ends = ends_of(ranks, by_place);
  for (std::size_t begin = 0; begin < ends.size();) {
    std::size_t receives = begin;
    while (receives < ends.size() && ends[receives].channel() == ends[begin].channel() &&
           !ends[receives].is_receive) {
      ++receives;
    }
    std::size_t end = receives;
    while (end < ends.size() && ends[end].channel() == ends[begin].channel()) ++end;
    std::size_t s = begin;
    std::size_t r = receives;
    while (s < receives && r < end) {
      if (by_place && ends[s].turn != ends[r].turn) {
        ++(ends[s].turn < ends[r].turn ? s : r);
        ++to.unmatched;
        continue;
      }
      to.partner[ends[s].at.rank][ends[s].at.index] = ends[r].at;
      to.partner[ends[r].at.rank][ends[r].at.index] = ends[s].at;
      ++s;
      ++r;
    }
    to.unmatched += (receives - s) + (end - r);
    begin = end;
  }
}

void match_collectives(std::span<const rank_profile> ranks, matched_records& to) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> number_of;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    for (std::uint32_t i = 0; i < ranks[r].records.size(); ++i) {
      const record_data& one = ranks[r].records[i];
      if (one.kind == record_kind::send || one.kind == record_kind::receive) continue;
      const auto next = static_cast<std::uint32_t>(to.collectives.size());
      const auto found = number_of.try_emplace({one.communicator, one.place}, next);
      if (found.second) to.collectives.emplace_back();
      to.collectives[found.first->second].push_back({r, i});
      to.collective_of[r][i] = found.first->second;
    }
  }
}

}  // namespace

double timebase::uncertainty_s() const noexcept {
  double most_s = 0;
  for (const rank_profile& one : ranks_) {
    if (!is_common(one.header)) most_s = std::max(most_s, one.header.clock_uncertainty_s);
  }
  return most_s;
}

/// Between the two moments at which the clocks were compared, their difference is linear.
double timebase::seconds(std::size_t rank, ticks at) const noexcept {
  const profile_header& first = ranks_.front().header;
  const profile_header& h = ranks_[rank].header;
  if (is_common(h)) return static_cast<double>(at - first.begin) * first.seconds_per_tick;
  double offset_s = h.clock_offset_s[0];
  if (h.clock_at[1] > h.clock_at[0]) {
    offset_s += static_cast<double>(at - h.clock_at[0]) /
                static_cast<double>(h.clock_at[1] - h.clock_at[0]) *
                (h.clock_offset_s[1] - h.clock_offset_s[0]);
  }
  return static_cast<double>(at) * h.seconds_per_tick + offset_s -
         static_cast<double>(first.begin) * first.seconds_per_tick;
}

matched_records match(std::span<const rank_profile> ranks) {
  matched_records found;
  for (const rank_profile& one : ranks) {
    found.partner.emplace_back(one.records.size());
    found.collective_of.emplace_back(one.records.size(), record_place::none);
  }
  match_messages(ranks, found);
  match_collectives(ranks, found);
  return found;
}

}  // namespace plait::attach
