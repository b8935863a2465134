// SPDX-License-Identifier: BSD-3-Clause
// A wait lasts from t_w to t_e.  A receive that was posted at t_r meets a send that was posted at
// t_s: until t_s nothing could come, and from max(t_s, t_r) on it is the message that takes its
// time.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "attach/after/analysis.hpp"
#include "attach/after/network_model.hpp"
#include "attach/after/phases.hpp"
#include "attach/calls.hpp"

namespace plait::attach {
namespace {

/// Longer sends wait for their receives in most libraries; shorter ones do where nothing else was
/// waited for.
constexpr std::uint64_t surely_rendezvous_bytes = 128 << 10;

enum class cause : std::uint8_t { none, sender, receiver, collective };

/// The records that one call completed.
struct one_wait {
  std::size_t rank = 0;
  double begin_s = 0;
  double end_s = 0;
  std::span<const std::uint32_t> records;
};

struct latest_cause {
  cause what = cause::none;
  double at_s = -1e300;
  record_place by;
};

/// Returns whether a call that waits could start earlier or be waited for later.  One that makes or
/// gives up a communicator, a window or a file could not: what follows is on what it makes.
[[nodiscard]] bool can_be_moved(int call) noexcept {
  if (call < 0) return false;
  const std::string_view name = call_names[call];
  return std::ranges::none_of(
      std::initializer_list<std::string_view>{
          "MPI_Comm_", "MPI_Cart_", "MPI_Graph_", "MPI_Dist_graph_", "MPI_Intercomm_",
          "MPI_Win_create", "MPI_Win_allocate", "MPI_Win_free", "MPI_File_open", "MPI_File_close",
          "MPI_File_set_", "MPI_File_preallocate"},
      [&](std::string_view one) { return name.starts_with(one); });
}

class wait_taker {
 public:
  wait_taker(std::span<const rank_profile> ranks, const timebase& clock,
             const matched_records& matched, analysis& to)
      : ranks_(ranks),
        clock_(clock),
        matched_(matched),
        index_(to.index),
        sites_(to.sites),
        to_(to),
        network_(ranks),
        late_at_(to.sites.size()),
        posted_at_(to.sites.size()) {}

  void run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      split_.clear();
      take_rank(rank);
      book_rank(rank);
    }
    for (const auto& [pair, sum] : pairs_) {
      to_.late_pairs.push_back({pair.first, pair.second, sum.first, sum.second});
    }
    std::ranges::sort(to_.late_pairs, std::greater<>{}, &late_pair::seconds);
    name_causes();
  }

 private:
  [[nodiscard]] const record_data& record(record_place at) const noexcept {
    return ranks_[at.rank].records[at.index];
  }
  [[nodiscard]] const record_data& first_record(const one_wait& of) const noexcept {
    return ranks_[of.rank].records[of.records.front()];
  }
  [[nodiscard]] double posted_s(record_place at) const noexcept {
    return clock_.seconds(at.rank, record(at).posted);
  }

  void take_rank(std::size_t rank) {
    const auto& records = ranks_[rank].records;
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < records.size(); ++i) {
      if (records[i].wait_end > 0) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return records[i].wait_begin; });
    std::vector<one_wait> waits;
    std::vector<wait_in_phase> phases;
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin;
      while (end < order.size() &&
             records[order[end]].wait_begin == records[order[begin]].wait_begin) {
        ++end;
      }
      const record_data& any = records[order[begin]];
      waits.push_back({rank, clock_.seconds(rank, any.wait_begin),
                       clock_.seconds(rank, any.wait_end),
                       std::span(order).subspan(begin, end - begin)});
      phases.push_back(
          {any.useful_before_wait, any.has_waited != 0 ? any.wait_end - any.wait_begin : 0});
      begin = end;
    }
    const profile_header& h = ranks_[rank].header;
    const std::vector<double> to_hide = parts_to_hide(phases, h.end - h.begin - h.in_mpi);
    credited_ = 0;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      note_row(waits[i], i > 0 ? &waits[i - 1] : nullptr);
      take(waits[i], to_hide[i]);
    }
  }

  void take(const one_wait& wait, double part_to_hide) {
    const record_data& any = first_record(wait);
    const double time_s = wait.end_s - wait.begin_s;
    const latest_cause late = find_cause(wait);
    const double late_s =
        late.what == cause::none ? 0 : std::clamp(late.at_s - wait.begin_s, 0.0, time_s);
    note_messages(wait);
    to_.ranks[wait.rank].hidden_s += hidden_by_looks_s(wait, time_s - late_s);
    if (any.has_waited == 0) return;
    wait_split part;
    part.waiting_s = time_s;
    if (late.what == cause::sender) part.late_sender_s = late_s;
    if (late.what == cause::receiver) part.late_receiver_s = late_s;
    if (late.what == cause::collective) part.collective_wait_s = late_s;
    part.transfer_s = time_s - late_s;
    part.by_progress_s = by_progress_s(wait);
    part.by_moving_s = part_to_hide * time_s;
    split_[any.wait_site].add(part);
    note_cause(wait, late, late_s);
  }

  /// The last thing that the wait could not end without.  Where the other rank posted a send and a
  /// receive at once, as by Sendrecv, the send counts: its data is what the wait is for.
  [[nodiscard]] latest_cause find_cause(const one_wait& wait) const {
    latest_cause found;
    const auto& records = ranks_[wait.rank].records;
    const bool only_sends = std::ranges::all_of(
        wait.records, [&](std::uint32_t i) { return records[i].kind == record_kind::send; });
    for (const std::uint32_t i : wait.records) {
      const record_data& one = records[i];
      const latest_cause next = one.kind == record_kind::send || one.kind == record_kind::receive
                                    ? cause_of_message(wait, i, only_sends)
                                    : cause_of_collective(wait, i);
      const bool is_later =
          next.at_s > found.at_s || (next.at_s == found.at_s && next.what == cause::sender);
      if (next.what != cause::none && is_later) found = next;
    }
    return found;
  }

  [[nodiscard]] latest_cause cause_of_message(const one_wait& wait, std::uint32_t i,
                                              bool only_sends) const {
    const record_data& one = ranks_[wait.rank].records[i];
    const record_place other = matched_.partner[wait.rank][i];
    if (other.is_none()) return {};
    const double at_s = posted_s(other);
    if (one.kind == record_kind::receive) return {cause::sender, at_s, other};
    const bool may_wait = only_sends || one.bytes >= surely_rendezvous_bytes;
    if (!may_wait || at_s > wait.end_s || at_s <= wait.begin_s) return {};
    return {cause::receiver, at_s, other};
  }

  [[nodiscard]] latest_cause cause_of_collective(const one_wait& wait, std::uint32_t i) const {
    const record_data& one = ranks_[wait.rank].records[i];
    const int own = ranks_[wait.rank].header.rank;
    const bool is_root = one.peer == own;
    if (one.kind == record_kind::from_root && is_root) return {};
    if (one.kind == record_kind::to_root && !is_root) return {};
    latest_cause found;
    for (const record_place part : matched_.collectives[matched_.collective_of[wait.rank][i]]) {
      if (part.rank == wait.rank) continue;
      if (one.kind == record_kind::from_root && ranks_[part.rank].header.rank != one.peer) continue;
      if (posted_s(part) > found.at_s) found = {cause::collective, posted_s(part), part};
    }
    return found;
  }

  /// Calls `see` with each record of a message whose other end is known, that, and its bytes.
  void for_each_message(const one_wait& wait, const auto& see) const {
    for (const std::uint32_t i : wait.records) {
      const record_data& one = ranks_[wait.rank].records[i];
      const record_place other = matched_.partner[wait.rank][i];
      if (other.is_none()) continue;
      see(one, other, one.kind == record_kind::send ? one.bytes : record(other).bytes);
    }
  }

  /// Adds what the network needs for the wait's messages.
  void note_messages(const one_wait& wait) {
    for_each_message(wait, [&](const record_data& one, record_place other, std::uint64_t bytes) {
      (one.kind == record_kind::send ? out_s_ : in_s_) +=
          network_.message_s(wait.rank, other.rank, bytes);
    });
  }

  /// Counts how often calls at one place follow each other with no other wait in between.
  void note_row(const one_wait& wait, const one_wait* before) {
    const record_data& one = first_record(wait);
    const int site = index_.of(wait.rank, one.wait_site);
    if (site < 0) return;
    site_result& at = sites_[static_cast<std::size_t>(site)];
    ++at.waits_noted;
    at.computed_in_flight_s += computed_meanwhile_s(wait);
    ++posted_at_[static_cast<std::size_t>(site)][index_.of(wait.rank, one.post_site)];
    if (before == nullptr) {
      ++at.rows;
      return;
    }
    const record_data& last = first_record(*before);
    const bool is_same_place = index_.of(wait.rank, last.wait_site) == site;
    const double computed_s =
        static_cast<double>(one.useful_before_wait - last.useful_before_wait) *
        ranks_[wait.rank].header.seconds_per_tick;
    if (is_same_place && computed_s < 0.1 * (wait.end_s - wait.begin_s)) ++at.back_to_back;
    if (!is_same_place || last.peer != one.peer) {
      ++at.rows;
    } else {
      at.computed_in_rows_s += computed_s;
    }
  }

  /// Returns the seconds of the network, at least, that looks between the program's own calls have
  /// hidden of the wait's messages: what they need beyond what the wait still took and what they
  /// take from the processor, and no more than passed up to looks.  What is short moves without a
  /// look, and what the program's own tests and waits have moved needed none.  Time that passed for
  /// the messages of several waits counts once.
  [[nodiscard]] double hidden_by_looks_s(const one_wait& wait, double still_took_s) {
    double in_s = 0;
    double out_s = 0;
    double processor_s = 0;
    ticks posted = INT64_MAX;
    for_each_message(wait, [&](const record_data& one, record_place other, std::uint64_t bytes) {
      if (bytes < surely_rendezvous_bytes) return;
      (one.kind == record_kind::send ? out_s : in_s) +=
          network_.message_s(wait.rank, other.rank, bytes);
      processor_s += network_.processor_s(wait.rank, other.rank, bytes);
      posted = std::min(posted, one.looked_before_post);
    });
    const ticks looked = first_record(wait).looked_before_wait - std::max(posted, credited_);
    if (posted == INT64_MAX || looked <= 0) return 0;
    const double rate = ranks_[wait.rank].header.seconds_per_tick;
    const double hidden_s = std::clamp(std::max(in_s, out_s) - processor_s - still_took_s, 0.0,
                                       static_cast<double>(looked) * rate);
    credited_ = std::max(posted, credited_) + static_cast<ticks>(hidden_s / rate);
    return hidden_s;
  }

  /// Returns the seconds that the run would have been shorter if the wait's messages and
  /// collectives had moved as soon as possible, each once all its ends were posted.  The processor
  /// time of the transport, which the wait hides, is then taken from the computation before it.
  [[nodiscard]] double by_progress_s(const one_wait& wait) const {
    if (!network_.is_known()) return 0;
    arrival_estimate could;
    for (const std::uint32_t i : wait.records) {
      const record_data& one = ranks_[wait.rank].records[i];
      if (is_collective(one)) {
        if (one.is_blocking != 0) return 0;
        add_collective(wait, i, could);
        continue;
      }
      const record_place other = matched_.partner[wait.rank][i];
      if (other.is_none()) return 0;  // it may be what was waited for
      const bool is_send = one.kind == record_kind::send;
      const std::uint64_t bytes = is_send ? one.bytes : record(other).bytes;
      const double both_s = std::max(posted_s(place_of(wait, i)), posted_s(other));
      could.add(is_send, both_s, network_.message_s(wait.rank, other.rank, bytes),
                network_.slower_both_ways(wait.rank, other.rank));
      could.take(network_.processor_s(wait.rank, other.rank, bytes));
      could.allow(computed_in_flight_s(place_of(wait, i)));
      could.allow(computed_in_flight_s(other));
    }
    const double begin_s = wait.begin_s + could.processor_s();
    return std::clamp(wait.end_s - std::max(begin_s, could.there_s()), 0.0, could.computed_s());
  }

  /// A started collective moves by an algorithm of the library's own.  What it needs is seen
  /// instead: the time from when all ranks wait for it until its end.
  void add_collective(const one_wait& wait, std::uint32_t i, arrival_estimate& could) const {
    double all_posted_s = -1e300;
    double all_wait_s = wait.begin_s;
    for (const record_place part : matched_.collectives[matched_.collective_of[wait.rank][i]]) {
      all_posted_s = std::max(all_posted_s, posted_s(part));
      all_wait_s = std::max(all_wait_s, clock_.seconds(part.rank, record(part).wait_begin));
      could.allow(computed_in_flight_s(part));
    }
    const double needs_s = std::max(0.0, wait.end_s - all_wait_s);
    could.add(all_posted_s + needs_s);
    could.take(network_.processor_share() * needs_s);
  }
  [[nodiscard]] static bool is_collective(const record_data& one) noexcept {
    return one.kind != record_kind::send && one.kind != record_kind::receive;
  }
  [[nodiscard]] static record_place place_of(const one_wait& wait, std::uint32_t i) noexcept {
    return {static_cast<std::uint32_t>(wait.rank), i};
  }

  /// Computation of a rank while what it had posted was in flight.
  [[nodiscard]] double computed_in_flight_s(record_place at) const {
    const record_data& one = record(at);
    const ticks time = std::max<ticks>(0, one.useful_before_wait - one.useful_before_post);
    return static_cast<double>(time) * ranks_[at.rank].header.seconds_per_tick;
  }
  /// Computation of the rank between the wait's first post and the wait.
  [[nodiscard]] double computed_meanwhile_s(const one_wait& wait) const {
    double longest_s = 0;
    for (const std::uint32_t i : wait.records) {
      longest_s = std::max(longest_s, computed_in_flight_s(place_of(wait, i)));
    }
    return longest_s;
  }

  void note_cause(const one_wait& wait, const latest_cause& late, double late_s) {
    if (late.what == cause::none || late_s <= 0) return;
    const record_data& any = first_record(wait);
    const int site = index_.of(wait.rank, any.wait_site);
    const int by_site = index_.of(late.by.rank, record(late.by).post_site);
    if (site >= 0 && by_site >= 0) late_at_[static_cast<std::size_t>(site)][by_site] += late_s;
    if (late.what != cause::sender) return;
    auto& pair = pairs_[{ranks_[late.by.rank].header.rank, ranks_[wait.rank].header.rank}];
    pair.first += late_s;
    ++pair.second;
  }

  /// The records of a site may be a sample: its time is that of all its calls.
  void book_rank(std::size_t rank) {
    const rank_profile& of = ranks_[rank];
    rank_result& result = to_.ranks[rank];
    for (const auto& [number, site] : of.sites) {
      const double waited_s = static_cast<double>(site.waited) * of.header.seconds_per_tick;
      if (waited_s <= 0) continue;
      wait_split part = split_[number];
      if (part.waiting_s > waited_s || (of.header.sampling != 0 && part.waiting_s > 0)) {
        part.scale(waited_s / part.waiting_s);
      }
      part.other_wait_s = waited_s - part.waiting_s;
      if (can_be_moved(site.call)) part.by_moving_s += part.other_wait_s;
      part.by_moving_s = std::min(part.by_moving_s, result.compute_s);
      part.waiting_s = waited_s;
      site_result& total = sites_[static_cast<std::size_t>(index_.of(rank, number))];
      total.waits.add(part);
      if (waited_s > total.worst_rank_s) {
        total.worst_rank_s = waited_s;
        total.worst_rank = of.header.rank;
      }
      result.waits.add(part);
    }
    const double scale = std::ldexp(1.0, static_cast<int>(of.header.sampling));
    result.communication_s = scale * std::max(in_s_, out_s_);
    result.hidden_s = std::min(scale * result.hidden_s, result.compute_s);
    in_s_ = out_s_ = 0;
  }

  void name_causes() {
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      for (const auto& [site, seconds] : late_at_[s]) {
        if (seconds <= sites_[s].late_site_s) continue;
        sites_[s].late_site = site;
        sites_[s].late_site_s = seconds;
      }
      std::uint64_t most_posts = 0;
      for (const auto& [site, posts] : posted_at_[s]) {
        if (posts <= most_posts) continue;
        most_posts = posts;
        sites_[s].post_site = site;
      }
    }
  }

  std::span<const rank_profile> ranks_;
  const timebase& clock_;
  const matched_records& matched_;
  const site_index& index_;
  std::vector<site_result>& sites_;
  analysis& to_;
  network_model network_;
  std::map<int, wait_split> split_;  ///< of the rank in hand, by its sites
  std::vector<std::map<int, double>> late_at_;
  std::vector<std::map<int, std::uint64_t>> posted_at_;
  std::map<std::pair<int, int>, std::pair<double, std::uint64_t>> pairs_;
  double in_s_ = 0;
  double out_s_ = 0;
  ticks credited_ = 0;  ///< of the time up to looks, what has been counted as hidden
};

}  // namespace

void wait_split::add(const wait_split& other) noexcept {
  for (const auto& [name, part] : parts_of_waits) this->*part += other.*part;
}

void wait_split::scale(double by) noexcept {
  for (const auto& [name, part] : parts_of_waits) this->*part *= by;
}

void take_waits_apart(std::span<const rank_profile> ranks, const timebase& clock,
                      const matched_records& matched, analysis& to) {
  wait_taker(ranks, clock, matched, to).run();
}

}  // namespace plait::attach
