// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>
#include <plait/trace/result_parts.hpp>

#include "attach/after/analysis.hpp"
#include "attach/books/settings.hpp"
#include "attach/calls.hpp"

namespace plait::attach {
namespace {

using json = nlohmann::ordered_json;

[[nodiscard]] json switches_of(std::uint32_t bits) {
  json names = json::array();
  for (unsigned i = 0; i < std::size(switch_names); ++i) {
    if ((bits >> i & 1U) != 0) names.push_back(switch_names[i]);
  }
  return names;
}

void add_waits(json& to, const wait_split& w, bool has_network) {
  for (const auto& [name, part] : parts_of_waits) to[name] = w.*part;
  if (!has_network) to["could_hide_by_progress_s"] = nullptr;
}

[[nodiscard]] json totals_of(const analysis& run) {
  json totals{{"threads", run.threads}, {"compute_s", run.compute_s}, {"mpi_s", run.mpi_s}};
  wait_split waits = run.waits;
  waits.by_progress_s = run.as_far_as_the_run_can_be(waits.by_progress_s);
  waits.by_moving_s = run.as_far_as_the_run_can_be(waits.by_moving_s);
  add_waits(totals, waits, run.has_network);
  totals["bound_s"] =
      run.has_network ? json(run.as_far_as_the_run_can_be(run.bound_s)) : json(nullptr);
  totals["stolen_s"] = run.stolen_s;
  return totals;
}

[[nodiscard]] json place_of(const code_place& place) {
  return {{"function", place.function},
          {"file", place.file},
          {"line", place.line},
          {"symbol", place.symbol},
          {"offset", place.symbol.empty() ? place.offset : place.symbol_offset},
          {"module", place.module}};
}

[[nodiscard]] json site_of(const site_result& site, const analysis& run) {
  json one = place_of(site);
  one["callers"] = json::array();
  for (const code_place& caller : site.callers) one["callers"].push_back(place_of(caller));
  one["call"] = call_names[site.call];
  one["count"] = site.count;
  one["bytes"] = site.bytes;
  one["time_s"] = site.time_s;
  one["exposed_s"] = site.waits.waiting_s;
  add_waits(one, site.waits, run.has_network);
  one["could_hide_s"] = run.has_network ? json(site.waits.by_progress_s) : json(nullptr);
  one["failed_tests"] = site.fails;
  one["worst_rank"] = site.worst_rank;
  one["worst_rank_s"] = site.worst_rank_s;
  one["late_site"] = site.late_site >= 0 ? json(site.late_site) : json(nullptr);
  one["advice"] = site.advice;
  return one;
}

[[nodiscard]] json rank_of(const rank_result& of, bool has_network) {
  json one{{"rank", of.rank},         {"host", of.host},           {"wall_s", of.wall_s},
           {"threads", of.threads},   {"compute_s", of.compute_s}, {"mpi_s", of.mpi_s},
           {"stolen_s", of.stolen_s}, {"hidden_s", of.hidden_s},   {"looks", of.looks},
           {"look_s", of.look_s}};
  add_waits(one, of.waits, has_network);
  one["bound_s"] = has_network ? json(of.bound_s) : json(nullptr);
  return one;
}

/// From each rank, to each rank.
[[nodiscard]] json matrix_of(std::span<const rank_profile> ranks) {
  const auto size = static_cast<std::size_t>(ranks.front().header.ranks);
  std::vector<std::vector<std::uint64_t>> bytes(size, std::vector<std::uint64_t>(size));
  auto messages = bytes;
  for (const rank_profile& one : ranks) {
    bytes[static_cast<std::size_t>(one.header.rank)] = one.sent_bytes;
    messages[static_cast<std::size_t>(one.header.rank)] = one.sent_messages;
  }
  return {{"bytes", bytes}, {"messages", messages}};
}

/// Between hosts, or within the one host where there is no other.
[[nodiscard]] json network_of(const profile_header& first) {
  const int within = first.latency_s[0] > 0 ? 0 : 1;
  return {{"latency_s", first.latency_s[within]},
          {"seconds_per_byte", first.seconds_per_byte[within]},
          {"seconds_per_byte_each_way", first.seconds_per_byte_each_way[within]},
          {"processor_s_per_byte", first.processor_s_per_byte[within]}};
}

}  // namespace

std::string result_json(std::span<const rank_profile> ranks, const analysis& run) {
  const profile_header& first = ranks.front().header;
  const auto known = [&](double of_ideal) {
    return run.pop.has_ideal ? json(of_ideal) : json(nullptr);
  };
  std::vector<std::string> hosts;
  std::set<std::string> seen;
  for (const rank_profile& one : ranks) {
    if (seen.insert(one.header.host).second) hosts.push_back(one.header.host);
  }
  json all = json::parse(result_head("attach", "program", first.program));
  all.update({{"mpi", first.mpi},
              {"ranks", first.ranks},
              {"hosts", hosts},
              {"wall_s", run.wall_s},
              {"switches", switches_of(first.switches)},
              {"environment", json::parse(environment_json({.is_library_only = true,
                                                            .mpi_version = first.mpi,
                                                            .ranks = first.ranks,
                                                            .hosts = hosts}))},
              {"totals", totals_of(run)},
              {"cores",
               {{"says", run.cores.says},
                {"spoils_waits", run.cores.spoils_waits},
                {"queued_s", run.cores.queued_s < 0 ? json(nullptr) : json(run.cores.queued_s)}}},
              {"pop",
               {{"load_balance", run.pop.load_balance},
                {"serialisation", known(run.pop.serialisation)},
                {"transfer", known(run.pop.transfer)},
                {"communication_efficiency", run.pop.communication_efficiency},
                {"parallel_efficiency", run.pop.parallel_efficiency},
                {"ideal_s", known(run.pop.ideal_s)}}}});
  if (run.has_network) all["network"] = network_of(first);
  for (const char* key : {"sites", "late_pairs", "message_sizes", "ranks_detail"}) {
    all[key] = json::array();
  }
  for (const site_result& site : run.sites) all["sites"].push_back(site_of(site, run));
  all["matrix"] = matrix_of(ranks);
  for (const late_pair& one : run.late_pairs) {
    all["late_pairs"].push_back({{"from", one.from},
                                 {"to", one.to},
                                 {"late_sender_s", one.seconds},
                                 {"messages", one.messages}});
  }
  for (const auto& [key, count] : run.sizes) {
    all["message_sizes"].push_back(
        {{"call", call_names[key.first]}, {"log2_bytes", key.second}, {"count", count}});
  }
  all["progress"] = {{"looks", run.looks},
                     {"look_s", run.look_s},
                     {"look_cpu_s", run.look_cpu_s},
                     {"hidden_s", run.hidden_s}};
  for (const rank_result& one : run.ranks) {
    all["ranks_detail"].push_back(rank_of(one, run.has_network));
  }
  all["clock_uncertainty_s"] = run.clock_uncertainty_s;
  all["sampling"] = std::uint64_t{1} << run.sampling;
  all["warnings"] = run.warnings;
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace plait::attach
