// SPDX-License-Identifier: BSD-3-Clause
#include "attach/after/analysis.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "attach/books/settings.hpp"
#include "core/filled.hpp"

namespace plait::attach {
namespace {

/// Of many ranks so many changed buffers are told, and so many call sites.
constexpr std::size_t most_changed_told = 32;
constexpr std::size_t most_ended_told = 8;
constexpr std::size_t most_sites_told = 1000;

void add_sites(const rank_view& own, job_share& to) {
  const double rate = own.profile.header.seconds_per_tick;
  for (const auto& [number, site] : own.profile.sites) {
    for (int size = 0; size < size_classes; ++size) {
      if (site.sizes[size] > 0) to.sizes[{site.call, size}] += site.sizes[size];
    }
    const int of_all = own.numbers.of(number);
    if (of_all < 0) continue;
    site_sums& total = to.sites[static_cast<std::size_t>(of_all)];
    total.count += site.count;
    total.fails += site.fails;
    total.bytes += site.bytes;
    total.time_s += static_cast<double>(site.time) * rate;
  }
}

[[nodiscard]] rank_result times_of(const rank_profile& one) {
  const profile_header& h = one.header;
  rank_result result;
  result.rank = h.rank;
  std::memcpy(result.host, h.host, sizeof h.host);
  result.wall_s = static_cast<double>(h.end - h.begin) * h.seconds_per_tick;
  result.threads = 1 + static_cast<int>(h.other_threads);
  result.mpi_s = static_cast<double>(h.in_mpi + h.in_mpi_others) * h.seconds_per_tick;
  result.compute_s =
      result.wall_s + static_cast<double>(h.others) * h.seconds_per_tick - result.mpi_s;
  ticks stolen = 0;
  for (const auto& [number, site] : one.sites) stolen += site.stolen;
  result.stolen_s = static_cast<double>(stolen) * h.seconds_per_tick;
  result.cycles = static_cast<double>(h.cycles);
  result.instructions = static_cast<double>(h.instructions);
  result.openmp = thread_times_of(h);
  result.looks = h.looks;
  result.look_s = h.look_s;
  result.look_cpu_s = h.look_cpu_s;
  for (std::size_t to = 0; to < one.sent_bytes.size(); ++to) {
    result.sent_bytes += one.sent_bytes[to];
    result.sends_to += one.sent_messages[to] > 0 ? 1 : 0;
  }
  return result;
}

void count(const rank_view& own, std::uint64_t unmatched, counted& to) {
  const profile_header& h = own.profile.header;
  counted one;
  one.records = own.profile.records.size();
  one.unmatched = unmatched;
  one.calls_left_out = h.calls_left_out;
  one.outside = h.unmatched_peers;
  one.tasks = h.teams.tasks;
  one.changed = static_cast<std::uint64_t>(h.changed);
  one.queued_unknown = h.queued_s < 0 ? 1 : 0;
  one.queued_s = std::max(0.0, h.queued_s - h.look_cpu_s);
  one.clock_uncertainty_s = uncertainty_s(own.first, h);
  one.sampling = h.sampling;
  to.add(one);
}

void add_cores(const profile_header& h, job_share& to) {
  core_group own{h.boot, {}, {}, 1};
  std::copy_n(h.cores, own.cores.size(), own.cores.begin());
  std::memcpy(own.host, h.host, sizeof h.host);
  const bool is_known = own.cores != core_set{};
  if (is_known) to.cores[{own.boot, own.cores}].add(own);
}

void add_changed(const rank_view& own, job_share& to) {
  const profile_header& h = own.profile.header;
  for (int i = 0; i < h.changed; ++i) {
    const changed_buffer& one = h.changed_buffers[i];
    to.changed.push_back(
        {h.rank, own.numbers.of(one.post_site), own.numbers.of(one.wait_site), one.times});
  }
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
  pop.has_ideal = ideal_s >= 0 && run.threads == static_cast<int>(run.ranks.size());
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

void warn_of_changed(const job_share& all, analysis& to) {
  const std::size_t told =
      to.ranks.size() > most_listed_ranks ? most_changed_told : all.changed.size();
  std::size_t count = 0;
  for (const changed_send& one : all.changed) {
    if (one.post_site < 0 || one.wait_site < 0 || count == told) continue;
    ++count;
    to.warnings.push_back(
        filled("rank {}: the buffer of {} was changed before {} completed the send, {} time{}",
               one.rank, place_text(to.sites[static_cast<std::size_t>(one.post_site)]),
               place_text(to.sites[static_cast<std::size_t>(one.wait_site)]), one.times,
               one.times == 1 ? "" : "s"));
  }
  if (count == told && all.counts.changed > told) {
    to.warnings.push_back(filled("{} more buffers were changed", all.counts.changed - told));
  }
}

void warn(const job_share& all, analysis& to) {
  const auto add = [&](std::string text) { to.warnings.push_back(std::move(text)); };
  const counted& counts = all.counts;
  for (const ended_rank& one : all.ended) {
    add(filled("rank {} {}", one.rank, state_texts[static_cast<int>(one.state)]));
  }
  if (static_cast<int>(to.ranks.size()) < to.first.ranks) {
    add(filled("only {} of {} ranks left a profile", to.ranks.size(), to.first.ranks));
  }
  if (counts.sampling > 0) {
    add(
        filled("one message in {} was kept; splits of waits are estimates, and serialisation "
               "is an upper bound",
               std::uint64_t{1} << counts.sampling));
  }
  if (counts.unmatched > counts.records / 100) {
    add(filled("{} sends or receives found no other end", counts.unmatched));
  }
  if (!can_name_lines()) {
    add("call sites have functions and no lines: libdw.so.1 of elfutils, which finds those, is not "
        "here");
  }
  for (std::string& one : warnings_of_regions(all.regions, to.regions)) add(std::move(one));
  if (counts.calls_left_out > 0) {
    add(
        filled("the trace has the first {} calls of each rank; {} later ones are left out "
               "(PLAIT_ATTACH_CALLS)",
               to.first.call_capacity, counts.calls_left_out));
  }
  if (counts.tasks > 0) {
    add(
        filled("{} loops of tasks, or large tasks, of GCC's OpenMP runtime: at barriers they are "
               "not told from waiting",
               counts.tasks));
  }
  if (counts.outside > 0) add(filled("{} messages went to ranks of other worlds", counts.outside));
  warn_of_changed(all, to);
}

void name_causes(const job_share& all, std::vector<site_result>& sites) {
  for (const auto& [key, seconds] : all.late_at) {
    site_result& site = sites[static_cast<std::size_t>(key.first)];
    if (seconds <= site.late_site_s) continue;
    site.late_site = key.second;
    site.late_site_s = seconds;
  }
  std::vector<std::uint64_t> most_posts(sites.size());
  for (const auto& [key, posts] : all.posted_at) {
    const auto at = static_cast<std::size_t>(key.first);
    if (posts <= most_posts[at]) continue;
    most_posts[at] = posts;
    sites[at].post_site = key.second;
  }
}

/// Sites are sorted by what they wait; places of late sites follow.
void sort_sites(analysis& run, site_index& index) {
  std::vector<site_result>& sites = run.sites;
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
  run.numbers_of_ways = index.numbers();
}

/// Of a large job the file and the page stay small.
void keep_most_of_sites(analysis& run) {
  if (run.ranks.size() <= most_listed_ranks || run.sites.size() <= most_sites_told) return;
  run.warnings.push_back(
      filled("{} call sites that wait {} or less of a rank are left out",
             run.sites.size() - most_sites_told,
             time_text(run.of_a_rank(run.sites[most_sites_told].waits.waiting_s))));
  run.sites.resize(most_sites_told);
  for (site_result& one : run.sites) {
    for (int* other : {&one.late_site, &one.post_site}) {
      if (*other >= static_cast<int>(most_sites_told)) *other = -1;
    }
  }
  std::erase_if(run.numbers_of_ways,
                [](const auto& one) { return one.second >= static_cast<int>(most_sites_told); });
}

}  // namespace

double analysis::as_far_as_the_run_can_be(double sum_s) const noexcept {
  const double most_s = threads * (wall_s - longest_compute_s);
  return std::clamp(sum_s, 0.0, std::max(0.0, most_s));
}

void add_rank(const rank_view& own, const counterparts& others, job_share& to) {
  const profile_header& h = own.profile.header;
  rank_result result = times_of(own.profile);
  add_sites(own, to);
  take_waits_apart(own, others, result, to);
  to.ranks.push_back(result);
  to.sent.add(own.profile);
  add_cores(h, to);
  add_changed(own, to);
  if (h.state != run_state::finalized && to.ended.size() < most_ended_told) {
    to.ended.push_back({h.rank, h.state});
  }
  count(own, others.unmatched, to.counts);
}

analysis finish(site_index index, job_share all, const profile_header& first, double ideal_s) {
  analysis run;
  run.first = first;
  run.sites = index.sites();
  mark_similar_names(run.sites);
  for (std::size_t i = 0; i < run.sites.size(); ++i) {
    static_cast<site_sums&>(run.sites[i]) = all.sites[i];
  }
  run.ranks = std::move(all.ranks);
  run.clock_uncertainty_s = all.counts.clock_uncertainty_s;
  run.sampling = all.counts.sampling;
  run.sizes = std::move(all.sizes);
  run.sent = std::move(all.sent);
  run.has_network = first.latency_s[0] > 0 || first.latency_s[1] > 0;
  run.processor_s_per_byte = first.processor_s_per_byte[first.latency_s[0] > 0 ? 0 : 1];
  for (const auto& [key, pair] : all.late_pairs) run.late_pairs.push_back(pair);
  std::ranges::stable_sort(run.late_pairs, std::greater<>{}, &late_pair::seconds);
  name_causes(all, run.sites);
  run.regions = regions_of(all.regions);
  add_up(run);
  run.cores = find_core_sharing(all, run);
  run.pop = pop_of(run, ideal_s);
  run.openmp = sum_of_threads(run.ranks);
  run.hybrid = hybrid_of(run.ranks, run.openmp, run.wall_s);
  warn(all, run);
  sort_sites(run, index);
  keep_most_of_sites(run);
  advise(run, (first.switches & switch_progress) != 0);
  return run;
}

analysis analyse(std::span<const rank_profile> ranks) {
  const profile_header& first = ranks.front().header;
  call_ways ways;
  for (const rank_profile& one : ranks) add_ways(ways, one);
  site_index index(ways);
  std::vector<site_numbers> numbers;
  for (const rank_profile& one : ranks) numbers.emplace_back(one, index.numbers());
  std::vector<rank_view> views;
  collective_table collectives;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    views.emplace_back(ranks[r], first, numbers[r]);
    collectives.add(views.back());
  }
  const matched_records matched = match(ranks);
  job_share all(index.sites().size(), first.ranks);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    add_rank(views[r], counterparts_of(r, views, matched, collectives), all);
  }
  all.counts.unmatched = matched.unmatched;
  return finish(std::move(index), std::move(all), first, ideal_seconds(ranks, matched));
}

}  // namespace plait::attach
