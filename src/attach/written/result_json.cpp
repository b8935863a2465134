// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <set>

#include <plait/trace/result_parts.hpp>

#include "attach/after/analysis.hpp"
#include "attach/after/rank_classes.hpp"
#include "attach/books/settings.hpp"
#include "attach/calls.hpp"
#include "core/filled.hpp"
#include "trace/json_text.hpp"

namespace plait::attach {
namespace {

/// Of many ranks so many pairs are listed.
constexpr std::size_t most_pairs = 200;

/// Returns null for what was not measured.
[[nodiscard]] std::string number_if(bool is_known, double value) {
  return is_known ? json_number(value) : "null";
}

[[nodiscard]] std::string list_of(const std::vector<std::string>& words) {
  return json_list(words, [](const std::string& word) { return json_text(word); });
}

[[nodiscard]] std::string switches_of(std::uint32_t bits) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < std::size(switch_names); ++i) {
    if ((bits >> i & 1U) != 0) names.emplace_back(switch_names[i]);
  }
  return list_of(names);
}

void add_waits(json_object& to, const wait_split& w, bool has_network) {
  for (const auto& [name, part] : parts_of_waits) {
    to.add(name, number_if(has_network || part != &wait_split::by_progress_s, w.*part));
  }
}

void add_counted(json_object& to, const measured_times& of) {
  to.add("instructions_per_cycle", number_if(of.cycles > 0, of.instructions_per_cycle()));
}

[[nodiscard]] std::string totals_of(const analysis& run) {
  json_object totals;
  totals.add("threads", run.threads).add("compute_s", run.compute_s).add("mpi_s", run.mpi_s);
  wait_split waits = run.waits;
  waits.by_progress_s = run.as_far_as_the_run_can_be(waits.by_progress_s);
  waits.by_moving_s = run.as_far_as_the_run_can_be(waits.by_moving_s);
  add_waits(totals, waits, run.has_network);
  add_counted(totals, run);
  return totals
      .add("bound_s", number_if(run.has_network, run.as_far_as_the_run_can_be(run.bound_s)))
      .add("stolen_s", run.stolen_s)
      .text();
}

[[nodiscard]] json_object place_of(const code_place& place) {
  return json_object()
      .add("function", json_text(place.function))
      .add("file", json_text(place.file))
      .add("line", place.line)
      .add("symbol", json_text(place.symbol))
      .add("offset", place.symbol.empty() ? place.offset : place.symbol_offset)
      .add("module", json_text(place.module));
}

[[nodiscard]] std::string site_of(const site_result& site, const analysis& run) {
  json_object one = place_of(site);
  one.add("callers", json_list(site.callers, [](const auto& of) { return place_of(of).text(); }))
      .add("call", json_text(call_names[site.call]))
      .add("count", site.count)
      .add("bytes", site.bytes)
      .add("time_s", site.time_s)
      .add("exposed_s", site.waits.waiting_s);
  add_waits(one, site.waits, run.has_network);
  return one.add("could_hide_s", number_if(run.has_network, site.waits.by_progress_s))
      .add("failed_tests", site.fails)
      .add("worst_rank", site.worst_rank)
      .add("worst_rank_s", site.worst_rank_s)
      .add("late_site", number_if(site.late_site >= 0, site.late_site))
      .add("advice", json_text(site.advice.text))
      .add("pattern", json_text(name_of(site.advice.pattern)))
      .add("gain_s", site.advice.gain_s)
      .add("gain_error_s", site.advice.gain_error_s)
      .add("rewrite", list_of(site.advice.rewrite))
      .text();
}

[[nodiscard]] std::string pop_of(const pop_metrics& pop) {
  return json_object()
      .add("load_balance", pop.load_balance)
      .add("serialisation", number_if(pop.has_ideal, pop.serialisation))
      .add("transfer", number_if(pop.has_ideal, pop.transfer))
      .add("communication_efficiency", pop.communication_efficiency)
      .add("parallel_efficiency", pop.parallel_efficiency)
      .add("ideal_s", number_if(pop.has_ideal, pop.ideal_s))
      .text();
}

[[nodiscard]] std::string region_of(const region_result& region, const analysis& run) {
  json_object one;
  one.add("name", json_text(region.name))
      .add("path", json_text(region.path))
      .add("around", number_if(region.around >= 0, region.around))
      .add("ranks", region.ranks)
      .add("count", region.count)
      .add("time_s", region.time_s)
      .add("own_s", region.own_s)
      .add("compute_s", region.time_s - region.mpi_s)
      .add("mpi_s", region.mpi_s)
      .add("own_mpi_s", region.own_mpi_s)
      .add("calls", region.calls)
      .add("bytes", region.bytes);
  add_waits(one, region.waits, run.has_network);
  return one.add("pop", pop_of(region.pop)).text();
}

[[nodiscard]] json_object threads_of(const thread_times& of) {
  json_object one;
  return one.add("threads", of.threads)
      .add("teams", of.teams)
      .add("useful_s", of.useful_s)
      .add("mpi_s", of.mpi_s)
      .add("unequal_s", of.unequal_s)
      .add("scheduling_s", of.scheduling_s)
      .add("serial_s", of.serial_s);
}

[[nodiscard]] std::string hybrid_of(const analysis& run) {
  const hybrid_metrics& of = run.hybrid;
  return threads_of(run.openmp)
      .add("parallel_efficiency", of.parallel)
      .add("mpi_efficiency", of.mpi)
      .add("mpi_load_balance", of.mpi_load_balance)
      .add("mpi_balance_within_nodes", of.mpi_balance_within)
      .add("mpi_balance_between_nodes", of.mpi_balance_between)
      .add("mpi_communication", of.mpi_communication)
      .add("openmp_efficiency", of.openmp)
      .add("openmp_load_balance", of.openmp_load_balance)
      .add("openmp_scheduling", of.openmp_scheduling)
      .add("openmp_serial", of.openmp_serial)
      .text();
}

[[nodiscard]] json_object rank_of(const rank_result& of, bool has_network) {
  json_object one;
  one.add("rank", of.rank)
      .add("host", json_text(of.host))
      .add("wall_s", of.wall_s)
      .add("threads", of.threads)
      .add("compute_s", of.compute_s)
      .add("mpi_s", of.mpi_s)
      .add("stolen_s", of.stolen_s)
      .add("hidden_s", of.hidden_s)
      .add("looks", of.looks)
      .add("look_s", of.look_s);
  add_waits(one, of.waits, has_network);
  add_counted(one, of);
  if (of.openmp.threads > 1) one.add("openmp", threads_of(of.openmp).text());
  return one.add("bound_s", number_if(has_network, of.bound_s));
}

/// Figures of a class: the median of each and its bounds.
constexpr std::pair<const char*, rank_figure> figures_of_classes[] = {
    {"wall_s", [](const rank_result& of) { return of.wall_s; }},
    {"compute_s", [](const rank_result& of) { return of.compute_s; }},
    {"mpi_s", [](const rank_result& of) { return of.mpi_s; }},
    {"waiting_s", [](const rank_result& of) { return of.waits.waiting_s; }},
    {"late_sender_s", [](const rank_result& of) { return of.waits.late_sender_s; }},
    {"late_receiver_s", [](const rank_result& of) { return of.waits.late_receiver_s; }},
    {"transfer_s", [](const rank_result& of) { return of.waits.transfer_s; }},
    {"collective_wait_s", [](const rank_result& of) { return of.waits.collective_wait_s; }},
    {"other_wait_s", [](const rank_result& of) { return of.waits.other_wait_s; }},
    {"stolen_s", [](const rank_result& of) { return of.stolen_s; }},
    {"instructions_per_cycle", [](const rank_result& of) { return of.instructions_per_cycle(); }},
    {"sent_bytes", [](const rank_result& of) { return static_cast<double>(of.sent_bytes); }},
    {"sends_to", [](const rank_result& of) { return static_cast<double>(of.sends_to); }}};

[[nodiscard]] std::string class_of(const alike_ranks& alike, bool is_rest) {
  json_object one;
  one.add("ranks", json_text(ranks_text(alike)))
      .add("count", alike.size())
      .add("is_rest", is_rest ? "true" : "false");
  for (const auto& [name, figure] : figures_of_classes) {
    const figure_of_class seen = figure_of(alike, figure);
    one.add(name, seen.median)
        .add(filled("{}_min", name), seen.least)
        .add(filled("{}_max", name), seen.most);
  }
  return one.text();
}

/// Of many ranks, classes, and those that are in none.
void add_ranks(json_object& to, const analysis& run) {
  if (run.ranks.size() <= most_listed_ranks) {
    to.add("ranks_detail", json_list(run.ranks, [&](const rank_result& one) {
             return rank_of(one, run.has_network).text();
           }));
    return;
  }
  const rank_classes found = classify(run.ranks, run.wall_s);
  std::size_t number = 0;
  to.add("ranks_detail", json_list(found.outliers,
                                   [&](const rank_result* one) {
                                     return rank_of(*one, run.has_network)
                                         .add("sent_bytes", one->sent_bytes)
                                         .add("sends_to", one->sends_to)
                                         .text();
                                   }))
      .add("rank_classes", json_list(found.classes, [&](const alike_ranks& one) {
             return class_of(one, ++number == found.classes.size() && found.has_rest);
           }));
}

/// From each rank, to each rank; of many, of several ranks that follow each other.
[[nodiscard]] std::string matrix_of(const traffic& sent) {
  std::vector<std::size_t> rows(sent.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto text_of = [&](auto row) {
    return json_list(rows, [&](std::size_t number) {
      return json_list((sent.*row)(number), [](std::uint64_t one) { return json_number(one); });
    });
  };
  json_object matrix;
  matrix.add("bytes", text_of(&traffic::bytes)).add("messages", text_of(&traffic::messages));
  if (sent.ranks_a_row() > 1) matrix.add("ranks_a_row", sent.ranks_a_row());
  return matrix.text();
}

/// Between hosts, or within the one host where there is no other.
[[nodiscard]] std::string network_of(const profile_header& first) {
  const int within = first.latency_s[0] > 0 ? 0 : 1;
  return json_object()
      .add("latency_s", first.latency_s[within])
      .add("seconds_per_byte", first.seconds_per_byte[within])
      .add("seconds_per_byte_each_way", first.seconds_per_byte_each_way[within])
      .add("processor_s_per_byte", first.processor_s_per_byte[within])
      .text();
}

[[nodiscard]] std::string cores_of(const core_sharing& cores) {
  return json_object()
      .add("says", json_text(cores.says))
      .add("spoils_waits", cores.spoils_waits)
      .add("queued_s", number_if(cores.queued_s >= 0, cores.queued_s))
      .text();
}

[[nodiscard]] std::string pair_of(const late_pair& one) {
  return json_object()
      .add("from", one.from)
      .add("to", one.to)
      .add("late_sender_s", one.seconds)
      .add("messages", one.messages)
      .text();
}

[[nodiscard]] std::string progress_of(const analysis& run) {
  return json_object()
      .add("looks", run.looks)
      .add("look_s", run.look_s)
      .add("look_cpu_s", run.look_cpu_s)
      .add("hidden_s", run.hidden_s)
      .text();
}

[[nodiscard]] std::vector<std::string> hosts_of(const std::vector<rank_result>& ranks) {
  std::vector<std::string> hosts;
  std::set<std::string> seen;
  for (const rank_result& one : ranks) {
    if (seen.insert(one.host).second) hosts.emplace_back(one.host);
  }
  return hosts;
}

}  // namespace

std::string result_json(const analysis& run) {
  const profile_header& first = run.first;
  const std::vector<std::string> hosts = hosts_of(run.ranks);
  const std::span pairs(run.late_pairs);
  const bool is_large = run.ranks.size() > most_listed_ranks;
  json_object all(result_head("attach", "program", first.program));
  all.add("mpi", json_text(first.mpi))
      .add("ranks", first.ranks)
      .add("hosts", list_of(hosts))
      .add("wall_s", run.wall_s)
      .add("switches", switches_of(first.switches))
      .add("environment", environment_json({.is_library_only = true,
                                            .mpi_version = first.mpi,
                                            .ranks = first.ranks,
                                            .hosts = hosts}))
      .add("totals", totals_of(run))
      .add("cores", cores_of(run.cores))
      .add("pop", pop_of(run.pop));
  if (run.openmp.threads > 0) all.add("openmp", hybrid_of(run));
  if (run.has_network) all.add("network", network_of(first));
  const auto size_of = [](const auto& one) {
    return json_object()
        .add("call", json_text(call_names[one.first.first]))
        .add("log2_bytes", one.first.second)
        .add("count", one.second)
        .text();
  };
  all.add("sites", json_list(run.sites, [&](const auto& one) { return site_of(one, run); }))
      .add("regions", json_list(run.regions, [&](const auto& one) { return region_of(one, run); }))
      .add("matrix", matrix_of(run.sent))
      .add("late_pairs",
           json_list(is_large ? pairs.first(std::min(most_pairs, pairs.size())) : pairs, pair_of))
      .add("message_sizes", json_list(run.sizes, size_of));
  add_ranks(all, run);
  all.add("progress", progress_of(run))
      .add("clock_uncertainty_s", run.clock_uncertainty_s)
      .add("sampling", std::uint64_t{1} << run.sampling)
      .add("warnings", list_of(run.warnings));
  return all.text() + "\n";
}

}  // namespace plait::attach
