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

[[nodiscard]] std::vector<message_end> ends_of(std::span<const rank_profile> ranks) {
  std::vector<message_end> ends;
  const bool is_complete =
      std::ranges::all_of(ranks, [](const rank_profile& one) { return one.header.sampling == 0; });
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const std::int32_t own = ranks[r].header.rank;
    for (std::uint32_t i = 0; i < ranks[r].records.size(); ++i) {
      const record_data& one = ranks[r].records[i];
      const std::uint32_t turn = is_complete ? one.order : one.place;
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
  const std::vector<message_end> ends = ends_of(ranks);
  const bool by_place =
      std::ranges::any_of(ranks, [](const rank_profile& one) { return one.header.sampling != 0; });
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

timebase::timebase(std::span<const rank_profile> ranks) {
  const profile_header& first = ranks.front().header;
  common_rate_ = first.seconds_per_tick;
  origin_ = first.begin;
  origin_s_ = static_cast<double>(first.begin) * first.seconds_per_tick;
  for (const rank_profile& one : ranks) {
    const profile_header& h = one.header;
    const bool is_common = h.rank == first.rank || (h.boot != 0 && h.boot == first.boot);
    clocks_.push_back({is_common,
                       h.seconds_per_tick,
                       {h.clock_at[0], h.clock_at[1]},
                       {h.clock_offset_s[0], h.clock_offset_s[1]}});
    if (!is_common) uncertainty_s_ = std::max(uncertainty_s_, h.clock_uncertainty_s);
  }
}

/// Between the two moments at which the clocks were compared, their difference is linear.
double timebase::seconds(std::size_t rank, ticks at) const noexcept {
  const one_clock& c = clocks_[rank];
  if (c.is_common) return static_cast<double>(at - origin_) * common_rate_;
  double offset_s = c.offset_s[0];
  if (c.at[1] > c.at[0]) {
    const double part = static_cast<double>(at - c.at[0]) / static_cast<double>(c.at[1] - c.at[0]);
    offset_s += part * (c.offset_s[1] - c.offset_s[0]);
  }
  return static_cast<double>(at) * c.seconds_per_tick + offset_s - origin_s_;
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
