// SPDX-License-Identifier: BSD-3-Clause
#include "attach/after/analysis.hpp"

#include <algorithm>
#include <numeric>

#include "attach/books/settings.hpp"
#include "core/filled.hpp"

namespace plait::attach {
namespace {

void add_sites(std::span<const rank_profile> ranks, const site_index& index, analysis& to) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const double rate = ranks[r].header.seconds_per_tick;
    for (const auto& [number, site] : ranks[r].sites) {
      site_result& total = to.sites[static_cast<std::size_t>(index.of(r, number))];
      total.count += site.count;
      total.fails += site.fails;
      total.bytes += site.bytes;
      total.time_s += static_cast<double>(site.time) * rate;
      for (int size = 0; size < size_classes; ++size) {
        if (site.sizes[size] > 0) to.sizes[{site.call, size}] += site.sizes[size];
      }
    }
  }
}

[[nodiscard]] std::vector<rank_result> times_of(std::span<const rank_profile> ranks) {
  std::vector<rank_result> results;
  for (const rank_profile& one : ranks) {
    const profile_header& h = one.header;
    rank_result result;
    result.rank = h.rank;
    result.host = h.host;
    result.wall_s = static_cast<double>(h.end - h.begin) * h.seconds_per_tick;
    result.threads = 1 + static_cast<int>(h.other_threads);
    result.mpi_s = static_cast<double>(h.in_mpi + h.in_mpi_others) * h.seconds_per_tick;
    result.compute_s =
        result.wall_s + static_cast<double>(h.others) * h.seconds_per_tick - result.mpi_s;
    ticks stolen = 0;
    for (const auto& [number, site] : one.sites) stolen += site.stolen;
    result.stolen_s = static_cast<double>(stolen) * h.seconds_per_tick;
    result.looks = h.looks;
    result.look_s = h.look_s;
    result.look_cpu_s = h.look_cpu_s;
    results.push_back(result);
  }
  return results;
}

/// Returns what a rank computes; of one with several threads in MPI their mean.
[[nodiscard]] double useful_seconds(const rank_result& one) noexcept {
  const double all_s = one.compute_s + one.mpi_s;
  return all_s > 0 ? one.wall_s * one.compute_s / all_s : 0;
}

/// [POP: u useful time of each rank, T the run, T_id the run with MPI at no cost]
[[nodiscard]] pop_metrics pop_of(const analysis& run, double ideal_s) {
  pop_metrics pop;
  double most_s = 0;
  double sum_s = 0;
  for (const rank_result& one : run.ranks) {
    const double useful_s = useful_seconds(one);
    most_s = std::max(most_s, useful_s);
    sum_s += useful_s;
  }
  const double mean_s = sum_s / static_cast<double>(run.ranks.size());
  pop.has_ideal = run.threads == static_cast<int>(run.ranks.size());
  if (most_s <= 0 || run.wall_s <= 0) return pop;
  pop.ideal_s = std::clamp(ideal_s, most_s, run.wall_s);
  pop.load_balance = mean_s / most_s;
  pop.serialisation = most_s / pop.ideal_s;
  pop.transfer = pop.ideal_s / run.wall_s;
  pop.communication_efficiency = most_s / run.wall_s;
  pop.parallel_efficiency = mean_s / run.wall_s;
  return pop;
}

void add_up(analysis& run) {
  for (rank_result& one : run.ranks) {
    const double left_s = std::max(one.compute_s, one.communication_s);
    one.bound_s =
        std::clamp(one.compute_s + one.waits.waiting_s - left_s, 0.0, one.waits.waiting_s);
    // Phases share the computation between them, and each counts all of it.
    one.waits.by_moving_s = std::min({one.waits.by_moving_s, one.bound_s, one.compute_s});
    run.wall_s = std::max(run.wall_s, one.wall_s);
    run.add(one);
    if (useful_seconds(one) > run.longest_compute_s) {
      run.longest_compute_s = useful_seconds(one);
      run.longest_compute_rank = one.rank;
    }
  }
}

/// By `run_state`.
constexpr const char* state_texts[] = {"was ended from outside", "", "called MPI_Abort",
                                       "ended without MPI_Finalize"};

void warn(std::span<const rank_profile> ranks, const matched_records& matched,
          const site_index& index, analysis& to) {
  const auto add = [&](std::string text) { to.warnings.push_back(std::move(text)); };
  for (const rank_profile& one : ranks) {
    if (one.header.state == run_state::finalized) continue;
    add(filled("rank {} {}", one.header.rank, state_texts[static_cast<int>(one.header.state)]));
    if (to.warnings.size() >= 8) break;
  }
  if (static_cast<int>(ranks.size()) < ranks.front().header.ranks) {
    add(filled("only {} of {} ranks left a profile", ranks.size(), ranks.front().header.ranks));
  }
  if (to.sampling > 0) {
    add(
        filled("one message in {} was kept; splits of waits are estimates, and serialisation "
               "is an upper bound",
               std::uint64_t{1} << to.sampling));
  }
  if (matched.unmatched > to.records / 100) {
    add(filled("{} sends or receives found no other end", matched.unmatched));
  }
  if (!can_name_lines()) {
    add("call sites have functions and no lines: libdw.so.1 of elfutils, which finds those, is not "
        "here");
  }
  std::uint64_t left_out = 0;
  for (const rank_profile& one : ranks) left_out += one.header.calls_left_out;
  if (left_out > 0) {
    add(
        filled("the trace has the first {} calls of each rank; {} later ones are left out "
               "(PLAIT_ATTACH_CALLS)",
               ranks.front().header.call_capacity, left_out));
  }
  std::uint64_t outside = 0;
  for (const rank_profile& one : ranks) outside += one.header.unmatched_peers;
  if (outside > 0) add(filled("{} messages went to ranks of other worlds", outside));
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (int i = 0; i < ranks[r].header.changed; ++i) {
      const changed_buffer& one = ranks[r].header.changed_buffers[i];
      const int post = index.of(r, one.post_site);
      const int wait = index.of(r, one.wait_site);
      if (post < 0 || wait < 0) continue;
      const auto& sites = to.sites;
      add(filled("rank {}: the buffer of {} was changed before {} completed the send, {} time{}",
                 ranks[r].header.rank, place_text(sites[static_cast<std::size_t>(post)]),
                 place_text(sites[static_cast<std::size_t>(wait)]), one.times,
                 one.times == 1 ? "" : "s"));
    }
  }
}

/// Sites are sorted by what they wait; places of late sites follow.
void sort_sites(std::vector<site_result>& sites, site_index& index) {
  std::vector<int> order(sites.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) {
    const auto key = [&](int i) {
      const site_result& one = sites[static_cast<std::size_t>(i)];
      return std::pair(one.waits.waiting_s, one.time_s);
    };
    return key(a) > key(b);
  });
  std::vector<int> place(sites.size());
  std::vector<site_result> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    sorted.push_back(std::move(sites[static_cast<std::size_t>(order[i])]));
  }
  for (site_result& one : sorted) {
    for (int* other : {&one.late_site, &one.post_site}) {
      if (*other >= 0) *other = place[static_cast<std::size_t>(*other)];
    }
  }
  sites.swap(sorted);
  index.renumber(place);
}

}  // namespace

void measured_times::add(const measured_times& other) noexcept {
  for (double measured_times::*one :
       {&measured_times::compute_s, &measured_times::mpi_s, &measured_times::stolen_s,
        &measured_times::hidden_s, &measured_times::bound_s, &measured_times::look_s,
        &measured_times::look_cpu_s}) {
    this->*one += other.*one;
  }
  threads += other.threads;
  looks += other.looks;
  waits.add(other.waits);
}

double analysis::as_far_as_the_run_can_be(double sum_s) const noexcept {
  const double most_s = threads * (wall_s - longest_compute_s);
  return std::clamp(sum_s, 0.0, std::max(0.0, most_s));
}

analysis analyse(std::span<const rank_profile> ranks) {
  analysis run;
  run.index = site_index(ranks);
  run.sites = run.index.sites();
  mark_similar_names(run.sites);
  run.ranks = times_of(ranks);
  for (const rank_profile& one : ranks) {
    run.sampling = std::max(run.sampling, one.header.sampling);
    run.records += one.records.size();
  }
  const profile_header& first = ranks.front().header;
  run.has_network = first.latency_s[0] > 0 || first.latency_s[1] > 0;
  run.processor_s_per_byte = first.processor_s_per_byte[first.latency_s[0] > 0 ? 0 : 1];
  const timebase clock(ranks);
  run.clock_uncertainty_s = clock.uncertainty_s();
  const matched_records matched = match(ranks);
  add_sites(ranks, run.index, run);
  take_waits_apart(ranks, clock, matched, run);
  add_up(run);
  run.cores = find_core_sharing(ranks, run);
  run.pop = pop_of(run, ideal_seconds(ranks, matched));
  warn(ranks, matched, run.index, run);
  sort_sites(run.sites, run.index);
  advise(run, (first.switches & switch_progress) != 0);
  return run;
}

}  // namespace plait::attach
