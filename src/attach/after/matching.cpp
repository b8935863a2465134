// SPDX-License-Identifier: BSD-3-Clause
#include "attach/after/matching.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "attach/after/packed.hpp"

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

[[nodiscard]] bool is_message(const record_data& one) noexcept {
  return one.kind == record_kind::send || one.kind == record_kind::receive;
}

void add_ends(std::vector<message_end>& to, const rank_profile& of, std::uint32_t rank,
              bool by_place) {
  const std::int32_t own = of.header.rank;
  for (std::uint32_t i = 0; i < of.records.size(); ++i) {
    const record_data& one = of.records[i];
    if (!is_message(one)) continue;
    const bool is_receive = one.kind == record_kind::receive;
    to.push_back({one.communicator,
                  is_receive ? one.peer : own,
                  is_receive ? own : one.peer,
                  one.tag,
                  is_receive,
                  by_place ? one.place : one.order,
                  {rank, i}});
  }
}

/// Calls `pair` with the two ends of each message, and `alone` with an end that has no other.
void bring_together(std::vector<message_end>& ends, bool by_place, const auto& pair,
                    const auto& alone) {
  std::ranges::sort(ends, [](const auto& a, const auto& b) { return a.key() < b.key(); });
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
        alone(ends[ends[s].turn < ends[r].turn ? s++ : r++].at);
        continue;
      }
      pair(ends[s++].at, ends[r++].at);
    }
    while (s < receives) alone(ends[s++].at);
    while (r < end) alone(ends[r++].at);
    begin = end;
  }
}

void match_collectives(std::span<const rank_profile> ranks, matched_records& to) {
  std::map<collective_table::identity, std::uint32_t> number_of;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    for (std::uint32_t i = 0; i < ranks[r].records.size(); ++i) {
      const record_data& one = ranks[r].records[i];
      if (is_message(one)) continue;
      const auto next = static_cast<std::uint32_t>(to.collectives.size());
      const auto found = number_of.try_emplace({one.communicator, one.place}, next);
      if (found.second) to.collectives.emplace_back();
      to.collectives[found.first->second].push_back({r, i});
      to.collective_of[r][i] = found.first->second;
    }
  }
}

[[nodiscard]] other_end end_of(const rank_view& of, const record_data& one) noexcept {
  return {of.seconds(one.posted), of.computed_in_flight_s(one), one.bytes, of.host,
          of.profile.header.rank, of.numbers.of(one.post_site)};
}

[[nodiscard]] bool is_common(const profile_header& first, const profile_header& h) noexcept {
  return h.rank == first.rank || (h.boot != 0 && h.boot == first.boot);
}

struct packed_collective {
  std::uint64_t communicator = 0;
  std::uint64_t place = 0;
  collective_times times;
};

}  // namespace

double uncertainty_s(const profile_header& first, const profile_header& h) noexcept {
  return is_common(first, h) ? 0 : h.clock_uncertainty_s;
}

/// Between the two moments at which the clocks were compared, their difference is linear.
double seconds_at(const profile_header& first, const profile_header& h, ticks at) noexcept {
  if (is_common(first, h)) return static_cast<double>(at - first.begin) * first.seconds_per_tick;
  double offset_s = h.clock_offset_s[0];
  if (h.clock_at[1] > h.clock_at[0]) {
    offset_s += static_cast<double>(at - h.clock_at[0]) /
                static_cast<double>(h.clock_at[1] - h.clock_at[0]) *
                (h.clock_offset_s[1] - h.clock_offset_s[0]);
  }
  return static_cast<double>(at) * h.seconds_per_tick + offset_s -
         static_cast<double>(first.begin) * first.seconds_per_tick;
}

rank_view::rank_view(const rank_profile& of, const profile_header& rank_0,
                     const site_numbers& by_own) noexcept
    : profile(of), first(rank_0), numbers(by_own), host(0) {
  for (const char c : std::string_view(of.header.host)) {
    host = mix(host, static_cast<unsigned char>(c));
  }
}

double rank_view::computed_in_flight_s(const record_data& one) const noexcept {
  const ticks time = std::max<ticks>(0, one.useful_before_wait - one.useful_before_post);
  return static_cast<double>(time) * profile.header.seconds_per_tick;
}

std::map<int, std::vector<told_end>> ends_to_tell(const rank_view& of) {
  const profile_header& h = of.profile.header;
  std::map<int, std::vector<told_end>> told;
  for (const record_data& one : of.profile.records) {
    if (!is_message(one) || one.peer < 0 || one.peer >= h.ranks || one.peer == h.rank) continue;
    told[one.peer].push_back({one.communicator, one.tag, h.sampling != 0 ? one.place : one.order,
                              one.kind == record_kind::receive ? 1U : 0U, end_of(of, one)});
  }
  return told;
}

/// The ends of this rank, whose numbers come first, and those of others.
counterparts meet(const rank_view& own, std::span<const told_end> told,
                  const collective_table& collectives) {
  const rank_profile& profile = own.profile;
  const bool by_place = profile.header.sampling != 0;
  counterparts found{std::vector<other_end>(profile.records.size()), collectives};
  std::vector<message_end> ends;
  add_ends(ends, profile, 0, by_place);
  for (std::uint32_t i = 0; i < told.size(); ++i) {
    const told_end& one = told[i];
    const bool is_receive = one.is_receive != 0;
    const std::int32_t here = profile.header.rank;
    ends.push_back({one.communicator,
                    is_receive ? here : one.end.rank,
                    is_receive ? one.end.rank : here,
                    one.tag,
                    is_receive,
                    one.turn,
                    {1, i}});
  }
  const auto end_at = [&](record_place at) {
    return at.rank == 0 ? end_of(own, profile.records[at.index]) : told[at.index].end;
  };
  bring_together(
      ends, by_place,
      [&](record_place send, record_place receive) {
        if (send.rank == 0) found.messages[send.index] = end_at(receive);
        if (receive.rank == 0) found.messages[receive.index] = end_at(send);
      },
      [&](record_place at) { found.unmatched += at.rank == 0 ? 1 : 0; });
  return found;
}

void collective_post::take_later(const collective_post& other) noexcept {
  const bool is_later =
      other.at_s > at_s || (other.at_s == at_s && other.rank >= 0 && other.rank < rank);
  if (is_later) *this = other;
}

void collective_times::merge(const collective_times& other) noexcept {
  last.take_later(other.last);
  root.take_later(other.root);
  last_wait_s = std::max(last_wait_s, other.last_wait_s);
  computed_in_flight_s = std::max(computed_in_flight_s, other.computed_in_flight_s);
}

void collective_table::add(const rank_view& of) {
  const int rank = of.profile.header.rank;
  for (const record_data& one : of.profile.records) {
    if (is_message(one)) continue;
    collective_times own;
    own.last = {of.seconds(one.posted), rank, of.numbers.of(one.post_site)};
    if (one.peer == rank) own.root = own.last;
    own.last_wait_s = of.seconds(one.wait_begin);
    own.computed_in_flight_s = of.computed_in_flight_s(one);
    known_[{one.communicator, one.place}].merge(own);
  }
}

void collective_table::thin_out(std::uint32_t sampling) {
  if (sampling <= sampling_) return;
  sampling_ = sampling;
  std::erase_if(known_, [&](const auto& one) {
    return !is_kept(mix(one.first.first, one.first.second), sampling_);
  });
}

/// A part of a job has fewer than all of it.  So how strict the sampling becomes follows from what
/// there is in all, and not from the order in which parts are merged.
void collective_table::merge(const collective_table& other, std::size_t most) {
  thin_out(other.sampling_);
  for (const auto& [key, times] : other.known_) {
    if (is_kept(mix(key.first, key.second), sampling_)) known_[key].merge(times);
  }
  while (known_.size() > most) thin_out(sampling_ + 1);
}

std::vector<std::byte> collective_table::packed() const {
  std::vector<packed_collective> entries;
  for (const auto& [key, times] : known_) entries.push_back({key.first, key.second, times});
  std::vector<std::byte> bytes;
  append(bytes, std::span(&sampling_, 1));
  append(bytes, entries);
  return bytes;
}

collective_table collective_table::unpacked(std::span<const std::byte> packed) {
  collective_table table(take<std::uint32_t>(packed).front());
  for (const packed_collective& one : take<packed_collective>(packed)) {
    table.known_.emplace_hint(table.known_.end(),
                              identity(one.communicator, static_cast<std::uint32_t>(one.place)),
                              one.times);
  }
  return table;
}

matched_records match(std::span<const rank_profile> ranks) {
  matched_records found;
  const bool by_place =
      std::ranges::any_of(ranks, [](const rank_profile& one) { return one.header.sampling != 0; });
  std::vector<message_end> ends;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    found.partner.emplace_back(ranks[r].records.size());
    found.collective_of.emplace_back(ranks[r].records.size(), record_place::none);
    add_ends(ends, ranks[r], r, by_place);
  }
  bring_together(
      ends, by_place,
      [&](record_place send, record_place receive) {
        found.partner[send.rank][send.index] = receive;
        found.partner[receive.rank][receive.index] = send;
      },
      [&](record_place) { ++found.unmatched; });
  match_collectives(ranks, found);
  return found;
}

counterparts counterparts_of(std::size_t rank, std::span<const rank_view> ranks,
                             const matched_records& matched, const collective_table& collectives) {
  counterparts found{std::vector<other_end>(ranks[rank].profile.records.size()), collectives};
  for (std::size_t i = 0; i < found.messages.size(); ++i) {
    const record_place at = matched.partner[rank][i];
    if (at.is_none()) continue;
    found.messages[i] = end_of(ranks[at.rank], ranks[at.rank].profile.records[at.index]);
  }
  return found;
}

}  // namespace plait::attach
