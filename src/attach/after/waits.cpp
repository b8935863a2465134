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
  double begin_s = 0;
  double end_s = 0;
  std::span<const std::uint32_t> records;
};

struct latest_cause {
  cause what = cause::none;
  double at_s = -1e300;
  int by_rank = -1;
  int by_site = -1;
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
  wait_taker(const rank_view& own, const counterparts& others, rank_result& result, job_share& to)
      : own_(own),
        h_(own.profile.header),
        records_(own.profile.records),
        others_(others),
        result_(result),
        to_(to),
        network_(own.first, own.host) {}

  void run() {
    take_all();
    book();
  }

 private:
  [[nodiscard]] const record_data& first_record(const one_wait& of) const noexcept {
    return records_[of.records.front()];
  }
  [[nodiscard]] site_sums* sums_of(int number) noexcept {
    return number < 0 ? nullptr : &to_.sites[static_cast<std::size_t>(number)];
  }

  void take_all() {
    const auto& records = records_;
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
      waits.push_back({own_.seconds(any.wait_begin), own_.seconds(any.wait_end),
                       std::span(order).subspan(begin, end - begin)});
      phases.push_back(
          {any.useful_before_wait, any.has_waited != 0 ? any.wait_end - any.wait_begin : 0});
      begin = end;
    }
    const std::vector<double> to_hide = parts_to_hide(phases, h_.end - h_.begin - h_.in_mpi);
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
    result_.hidden_s += hidden_by_looks_s(wait, time_s - late_s);
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
    const bool only_sends = std::ranges::all_of(
        wait.records, [&](std::uint32_t i) { return records_[i].kind == record_kind::send; });
    for (const std::uint32_t i : wait.records) {
      const latest_cause next = is_collective(records_[i]) ? cause_of_collective(records_[i])
                                                           : cause_of_message(wait, i, only_sends);
      const bool is_later =
          next.at_s > found.at_s || (next.at_s == found.at_s && next.what == cause::sender);
      if (next.what != cause::none && is_later) found = next;
    }
    return found;
  }

  [[nodiscard]] latest_cause cause_of_message(const one_wait& wait, std::uint32_t i,
                                              bool only_sends) const {
    const record_data& one = records_[i];
    const other_end& other = others_.messages[i];
    if (other.is_none()) return {};
    const double at_s = other.posted_s;
    if (one.kind == record_kind::receive) return {cause::sender, at_s, other.rank, other.site};
    const bool may_wait = only_sends || one.bytes >= surely_rendezvous_bytes;
    if (!may_wait || at_s > wait.end_s || at_s <= wait.begin_s) return {};
    return {cause::receiver, at_s, other.rank, other.site};
  }

  /// Returns no cause where this rank comes last.
  [[nodiscard]] latest_cause cause_of_collective(const record_data& one) const {
    const bool is_root = one.peer == h_.rank;
    if (one.kind == record_kind::from_root && is_root) return {};
    if (one.kind == record_kind::to_root && !is_root) return {};
    const collective_times& all = others_.collectives.of(one);
    const collective_post& by = one.kind == record_kind::from_root ? all.root : all.last;
    if (by.rank < 0 || by.rank == h_.rank) return {};
    return {cause::collective, by.at_s, by.rank, by.site};
  }

  /// Calls `see` with each record of a message whose other end is known, that, and its bytes.
  void for_each_message(const one_wait& wait, const auto& see) const {
    for (const std::uint32_t i : wait.records) {
      const other_end& other = others_.messages[i];
      if (!other.is_none()) see(records_[i], other, bytes_of(i));
    }
  }
  /// A receive may have had more room.
  [[nodiscard]] std::uint64_t bytes_of(std::uint32_t i) const noexcept {
    return records_[i].kind == record_kind::send ? records_[i].bytes : others_.messages[i].bytes;
  }

  /// Adds what the wait's messages need: of the network, and of this rank's processor.
  void note_messages(const one_wait& wait) {
    double processor_s = 0;
    for_each_message(
        wait, [&](const record_data& one, const other_end& other, std::uint64_t bytes) {
          (one.kind == record_kind::send ? out_s_ : in_s_) += network_.message_s(other.host, bytes);
          processor_s += network_.processor_s(other.host, bytes);
        });
    const record_data& any = first_record(wait);
    if (any.has_waited == 0) return;
    if (site_sums* const at = sums_of(own_.numbers.of(any.wait_site)))
      at->processor_s += std::ldexp(processor_s, static_cast<int>(h_.sampling));
  }

  /// Counts how often calls at one place follow each other with no other wait in between.
  void note_row(const one_wait& wait, const one_wait* before) {
    const record_data& one = first_record(wait);
    const int site = own_.numbers.of(one.wait_site);
    if (site < 0) return;
    site_sums& at = *sums_of(site);
    ++at.waits_noted;
    at.computed_in_flight_s += computed_meanwhile_s(wait);
    ++to_.posted_at[{site, own_.numbers.of(one.post_site)}];
    if (before == nullptr) {
      ++at.rows;
      return;
    }
    const record_data& last = first_record(*before);
    const bool is_same_place = own_.numbers.of(last.wait_site) == site;
    const double computed_s =
        static_cast<double>(one.useful_before_wait - last.useful_before_wait) * h_.seconds_per_tick;
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
    for_each_message(
        wait, [&](const record_data& one, const other_end& other, std::uint64_t bytes) {
          if (bytes < surely_rendezvous_bytes) return;
          (one.kind == record_kind::send ? out_s : in_s) += network_.message_s(other.host, bytes);
          processor_s += network_.processor_s(other.host, bytes);
          posted = std::min(posted, one.looked_before_post);
        });
    const ticks looked = first_record(wait).looked_before_wait - std::max(posted, credited_);
    if (posted == INT64_MAX || looked <= 0) return 0;
    const double rate = h_.seconds_per_tick;
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
      const record_data& one = records_[i];
      if (is_collective(one)) {
        if (one.is_blocking != 0) return 0;
        add_collective(wait, one, could);
        continue;
      }
      const other_end& other = others_.messages[i];
      if (other.is_none()) return 0;  // it may be what was waited for
      const double both_s = std::max(own_.seconds(one.posted), other.posted_s);
      could.add(one.kind == record_kind::send, both_s, network_.message_s(other.host, bytes_of(i)),
                network_.slower_both_ways(other.host));
      could.take(network_.processor_s(other.host, bytes_of(i)));
      could.allow(own_.computed_in_flight_s(one));
      could.allow(other.computed_in_flight_s);
    }
    const double begin_s = wait.begin_s + could.processor_s();
    return std::clamp(wait.end_s - std::max(begin_s, could.there_s()), 0.0, could.computed_s());
  }

  /// A started collective moves by an algorithm of the library's own.  What it needs is seen
  /// instead: the time from when all ranks wait for it until its end.
  void add_collective(const one_wait& wait, const record_data& one, arrival_estimate& could) const {
    const collective_times& all = others_.collectives.of(one);
    const double needs_s = std::max(0.0, wait.end_s - std::max(wait.begin_s, all.last_wait_s));
    could.allow(all.computed_in_flight_s);
    could.add(all.last.at_s + needs_s);
    could.take(network_.processor_share() * needs_s);
  }
  [[nodiscard]] static bool is_collective(const record_data& one) noexcept {
    return one.kind != record_kind::send && one.kind != record_kind::receive;
  }

  /// Computation of the rank between the wait's first post and the wait.
  [[nodiscard]] double computed_meanwhile_s(const one_wait& wait) const {
    double longest_s = 0;
    for (const std::uint32_t i : wait.records) {
      longest_s = std::max(longest_s, own_.computed_in_flight_s(records_[i]));
    }
    return longest_s;
  }

  void note_cause(const one_wait& wait, const latest_cause& late, double late_s) {
    if (late.what == cause::none || late_s <= 0) return;
    const int site = own_.numbers.of(first_record(wait).wait_site);
    if (site >= 0 && late.by_site >= 0) to_.late_at[{site, late.by_site}] += late_s;
    if (late.what != cause::sender) return;
    late_pair& pair =
        to_.late_pairs.try_emplace({late.by_rank, h_.rank}, late_pair{late.by_rank, h_.rank})
            .first->second;
    pair.seconds += late_s;
    ++pair.messages;
  }

  /// The records of a site may be a sample: its time is that of all its calls.
  void book() {
    std::vector<wait_split> in_regions(std::max<std::size_t>(1, own_.profile.regions.size()));
    for (const auto& [number, site] : own_.profile.sites) {
      const double waited_s = static_cast<double>(site.waited) * h_.seconds_per_tick;
      if (waited_s <= 0) continue;
      wait_split part = split_[number];
      if (part.waiting_s > waited_s || (h_.sampling != 0 && part.waiting_s > 0)) {
        part.scale(waited_s / part.waiting_s);
      }
      part.other_wait_s = waited_s - part.waiting_s;
      if (can_be_moved(site.call)) part.by_moving_s += part.other_wait_s;
      part.by_moving_s = std::min(part.by_moving_s, result_.compute_s);
      part.waiting_s = waited_s;
      if (site_sums* const total = sums_of(own_.numbers.of(number))) {
        total->waits.add(part);
        total->note_rank(h_.rank, waited_s);
      }
      result_.waits.add(part);
      in_regions[static_cast<std::size_t>(site.region)].add(part);
    }
    to_.regions.add(own_.profile, in_regions);
    const double scale = std::ldexp(1.0, static_cast<int>(h_.sampling));
    result_.communication_s = scale * std::max(in_s_, out_s_);
    result_.hidden_s = std::min(scale * result_.hidden_s, result_.compute_s);
  }

  const rank_view& own_;
  const profile_header& h_;
  const std::vector<record_data>& records_;
  const counterparts& others_;
  rank_result& result_;
  job_share& to_;
  network_model network_;
  std::map<int, wait_split> split_;  ///< by the rank's own sites
  double in_s_ = 0;
  double out_s_ = 0;
  ticks credited_ = 0;  ///< of the time up to looks, what has been counted as hidden
};

}  // namespace

void take_waits_apart(const rank_view& own, const counterparts& others, rank_result& result,
                      job_share& to) {
  wait_taker(own, others, result, to).run();
}

}  // namespace plait::attach
