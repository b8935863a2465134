// SPDX-License-Identifier: BSD-3-Clause
#include "attach/written/trace_file.hpp"

#include <algorithm>
#include <sstream>

#include <plait/trace/chrome_trace.hpp>

#include "core/filled.hpp"

namespace plait::attach {
namespace {

[[nodiscard]] std::vector<std::string> names_of(const analysis& run) {
  std::vector<std::string> names;
  for (const site_result& one : run.sites) names.push_back(place_text(one));
  return names;
}

/// The rank's calls, its computation between them, and its stays in regions.
void add_calls(const rank_profile& one, std::size_t at, const timebase& clock,
               const site_numbers& numbers, const std::vector<std::string>& names,
               std::vector<trace_event>& to) {
  const auto lane_of = [](int thread, const char* of = "program") {
    return thread == 0 ? std::string(of) : filled("{}, thread {}", of, thread + 1);
  };
  std::map<int, double> until;  ///< of each thread; the first is there from the start
  until[0] = clock.seconds(at, one.header.begin);
  const auto add_computation = [&](int thread, double begin_s) {
    const double until_s = until.try_emplace(thread, begin_s).first->second;
    if (begin_s - until_s < shortest_computation_s) return;
    to.push_back({.rank = one.header.rank,
                  .lane = lane_of(thread),
                  .name = "computation",
                  .kind = event_kind::compute,
                  .begin_s = until_s,
                  .end_s = begin_s});
  };
  for (const call_data& call : one.calls) {
    const double begin_s = clock.seconds(at, call.begin);
    const double end_s = clock.seconds(at, call.end);
    if (call.site < 0) {
      to.push_back({.rank = one.header.rank,
                    .lane = lane_of(call.thread, "regions"),
                    .name = one.regions[static_cast<std::size_t>(-call.site)].name,
                    .kind = event_kind::overhead,
                    .begin_s = begin_s,
                    .end_s = end_s});
      continue;
    }
    add_computation(call.thread, begin_s);
    const site_data& site = one.sites.at(call.site);
    const int number = numbers.of(call.site);
    std::string name = number < 0 ? call_name(site.call) : names[static_cast<std::size_t>(number)];
    if (call.times > 1) name += filled(", {} times", call.times);
    to.push_back({.rank = one.header.rank,
                  .lane = lane_of(call.thread),
                  .name = std::move(name),
                  .kind = site.waited > 0 ? event_kind::exposed : event_kind::posting,
                  .begin_s = begin_s,
                  .end_s = end_s});
    until[call.thread] = end_s;
  }
  if (one.header.calls_left_out == 0) add_computation(0, clock.seconds(at, one.header.end));
}

/// Communicators of all ranks have numbers from 1 on, by the order in which they come up.
[[nodiscard]] std::map<std::uint64_t, int> communicators_of(std::span<const rank_profile> ranks) {
  std::map<std::uint64_t, int> numbers;
  for (const rank_profile& one : ranks) {
    for (const record_data& record : one.records) {
      numbers.try_emplace(record.communicator, static_cast<int>(numbers.size()) + 1);
    }
  }
  return numbers;
}

/// Collectives from their posts to the calls that completed them.
void add_collectives(const rank_profile& one, std::size_t at, const timebase& clock,
                     const std::map<std::uint64_t, int>& communicators,
                     std::vector<trace_event>& to) {
  for (const record_data& part : one.records) {
    if (part.kind == record_kind::send || part.kind == record_kind::receive) continue;
    const auto site = one.sites.find(part.post_site);
    if (site == one.sites.end()) continue;
    to.push_back(
        {.rank = one.header.rank,
         .lane = "collectives",
         .name = call_name(site->second.call),
         .kind = event_kind::message,
         .begin_s = clock.seconds(at, part.posted),
         .end_s = clock.seconds(at, part.wait_end),
         .collective = collective_part{.root = part.peer,
                                       .place = part.place,
                                       .size_bytes = part.bytes,
                                       .communicator = communicators.at(part.communicator)}});
  }
}

/// Messages from their posts to the calls that completed them, numbered so that both ends agree.
void add_messages(std::span<const rank_profile> ranks, const matched_records& matched,
                  const timebase& clock, const std::map<std::uint64_t, int>& communicators,
                  std::vector<trace_event>& to) {
  std::uint64_t number = 0;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    for (std::uint32_t i = 0; i < ranks[r].records.size(); ++i) {
      const record_data& sent = ranks[r].records[i];
      const record_place other = matched.partner[r][i];
      if (sent.kind != record_kind::send || other.is_none()) continue;
      ++number;
      const record_data& got = ranks[other.rank].records[other.index];
      const int to_rank = ranks[other.rank].header.rank;
      const auto side = [&](std::size_t at, const record_data& of, bool is_sent, int peer) {
        return trace_event{
            .rank = ranks[at].header.rank,
            .lane = "messages",
            .name = filled("{} {}", is_sent ? "to" : "from", peer),
            .kind = event_kind::message,
            .begin_s = clock.seconds(at, of.posted),
            .end_s = clock.seconds(at, of.wait_end),
            .message = message_side{.sent = is_sent,
                                    .peer = peer,
                                    .tag = of.tag,
                                    .place = number,
                                    .size_bytes = sent.bytes,
                                    .communicator = communicators.at(sent.communicator)}};
      };
      to.push_back(side(r, sent, true, to_rank));
      to.push_back(side(other.rank, got, false, ranks[r].header.rank));
    }
  }
}

/// Keeps what begins first of all ranks' events, and returns until when.
double keep_first(std::vector<trace_event>& events, double part) {
  const auto kept = static_cast<std::ptrdiff_t>(part * static_cast<double>(events.size()));
  std::ranges::nth_element(events, events.begin() + kept, {}, &trace_event::begin_s);
  const double until_s = events[static_cast<std::size_t>(kept)].begin_s;
  std::erase_if(events, [&](const trace_event& one) { return one.begin_s >= until_s; });
  return until_s;
}

}  // namespace

void trim_for_trace(rank_profile& one, std::uint64_t most_bytes) {
  constexpr std::uint64_t bytes_of_a_call = 128;  // at least
  const std::uint64_t most = most_bytes / (bytes_of_a_call * most_listed_ranks);
  if (one.calls.size() > most) {
    one.header.calls_left_out += one.calls.size() - most;
    one.calls.resize(most);
  }
  const ticks end = one.calls.empty() ? 0 : one.calls.back().end;
  std::erase_if(one.records, [&](const record_data& r) {
    return r.wait_end > end || r.peer >= most_listed_ranks;
  });
}

written_trace trace_of(std::span<const rank_profile> ranks, const analysis& run,
                       std::uint64_t most_bytes) {
  const timebase clock(ranks);
  const matched_records matched = match(ranks);
  const auto names = names_of(run);
  const auto communicators = communicators_of(ranks);
  traced_run whole{"program", {}, {}};
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const site_numbers numbers(ranks[r], run.numbers_of_ways);
    add_calls(ranks[r], r, clock, numbers, names, whole.events);
    add_collectives(ranks[r], r, clock, communicators, whole.events);
  }
  add_messages(ranks, matched, clock, communicators, whole.events);
  written_trace written;
  while (true) {
    std::ostringstream text;
    write_chrome_trace(text, std::span(&whole, 1));
    written.text = std::move(text).str();
    if (written.text.size() <= most_bytes || whole.events.empty()) return written;
    const double part =
        0.95 * static_cast<double>(most_bytes) / static_cast<double>(written.text.size());
    written.until_s = keep_first(whole.events, part);
  }
}

}  // namespace plait::attach
