// SPDX-License-Identifier: BSD-3-Clause
#include "dataflow_answer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/model/parameters_file.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/what_if.hpp>

#include "topology.hpp"

namespace plait::network::simulate {
namespace {

using json = nlohmann::ordered_json;
using plait::simulate::look_policy;
using plait::simulate::machine;
using plait::simulate::machine_of;
using plait::simulate::machine_parameter;
using plait::simulate::path_part;
using plait::simulate::prediction;
using plait::simulate::recorded_program;

/// More operations than these are run once a scenario, without the runs that check derivatives.
constexpr std::uint64_t most_checked_operations = 2'000'000;

constexpr std::uint64_t usual_eager_limit_bytes = 64 << 10;
constexpr const char* without_eager_limit =
    "the network's file has no S: long messages leave before their receives are posted; a file "
    "from before plait 0.2.0 has to be measured again";

[[nodiscard]] double seconds(std::int64_t ps) {
  return 1e-12 * static_cast<double>(ps);
}

/// Reads how many nodes there are, which get the same number of ranks, or the node of each rank.  A
/// topology may have more nodes than there are ranks.
[[nodiscard]] std::vector<std::uint32_t> nodes_in(const std::string& words, std::uint32_t ranks,
                                                  std::uint32_t hosts) {
  const std::uint32_t most = std::max(ranks, hosts);
  std::vector<std::uint32_t> nodes;
  for (const std::string& word : words_in(words)) {
    const char* const end = word.data() + word.size();
    const auto [rest, failed] = std::from_chars(word.data(), end, nodes.emplace_back());
    if (failed != std::errc() || rest != end)
      throw usage_error(fmt::format("--nodes: '{}' is no number of a node", word));
  }
  const std::uint64_t count = nodes.empty() ? 0 : nodes.front();
  if (nodes.size() == 1 && count >= 1 && count <= ranks) {
    nodes.resize(ranks);
    for (std::uint64_t rank = 0; rank < ranks; ++rank)
      nodes[rank] = static_cast<std::uint32_t>(rank * count / ranks);
  } else if (nodes.size() != ranks || std::ranges::max(nodes) >= most) {
    throw usage_error(
        fmt::format("--nodes {}: give how many nodes there are, 1 to {}, or the node of each rank, "
                    "{} numbers below {}",
                    words, ranks, ranks, most));
  }
  return nodes;
}

/// Returns the policy of the run, by the name that the engine has given it.
[[nodiscard]] std::string policy_of(const recorded_program& what) {
  if (what.policy.empty()) return "dedicated";
  return what.policy == "sleeping+workers" ? "auto" : what.policy;
}

void add_parts(json& row, const prediction& found, const std::vector<std::string>& names) {
  for (std::size_t p = 0; p < plait::simulate::path_parts; ++p) {
    const std::string name(to_string(static_cast<path_part>(p)));
    row["parts"][name + "_s"] = seconds(found.parts_ps[p]);
  }
  row["limiter"] = to_string(found.limiter());
  std::vector<std::pair<std::int64_t, std::size_t>> by_time;
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (found.names_ps[n] > 0 && !names[n].empty()) by_time.emplace_back(found.names_ps[n], n);
  }
  std::ranges::sort(by_time, std::greater<>{});
  for (const auto& [time, n] : by_time) row["computation_by_name_s"][names[n]] = seconds(time);
}

/// Adds the derivatives of the path, and what a run with a little more gives.
void add_sensitivities(json& row, const recorded_program& what, const machine& on,
                       const prediction& found) {
  json latency{{"lambda", found.latencies}};
  json bytes{{"lambda", found.bytes}};
  if (what.operations.operations() <= most_checked_operations) {
    machine slower = on;
    slower.latency_ps += 1000;
    const auto more = plait::simulate::predict(what.operations, slower).time_ps - found.time_ps;
    latency["one_more_ns"] = static_cast<double>(more) / 1000;
    slower = on;
    slower.byte_ps *= 1.01;
    const auto longer = plait::simulate::predict(what.operations, slower).time_ps - found.time_ps;
    bytes["one_percent_more_s"] = seconds(longer);
  }
  row["sensitivities"] = {{"L", latency}, {"G", bytes}};
}

/// Adds up to which latency the time holds, and where another part becomes the largest.
void add_scans(json& row, const recorded_program& what, const machine& on) {
  for (const auto& [name, factor] : {std::pair{"1 %", 1.01}, std::pair{"5 %", 1.05}}) {
    const auto value = plait::simulate::tolerated_latency_ns(what.operations, on, factor);
    row["tolerated_L_ns"][name] = value ? json(*value) : json();
  }
  json changes = json::array();
  for (const auto& [name, which] :
       {std::pair{"L", machine_parameter::latency_ns}, std::pair{"G", machine_parameter::byte_ns}})
    for (const bool upwards : {true, false})
      if (const auto found = plait::simulate::takes_over(what.operations, on, which, upwards))
        changes.push_back(
            {{"parameter", name}, {"value", found->value}, {"limiter", to_string(found->becomes)}});
  row["takes_over"] = changes;
}

/// Returns whether a message between two nodes is longer than MPI libraries send at once over TCP.
[[nodiscard]] bool has_long_messages(const plait::simulate::program& of,
                                     const std::vector<std::uint32_t>& node_of) {
  for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
    for (const plait::simulate::operation& one : of.of_rank(rank).operations) {
      if (one.kind != plait::simulate::operation_kind::send || one.size <= usual_eager_limit_bytes)
        continue;
      if (node_of.empty() || node_of[peer_of(of, one, rank)] != node_of[rank]) return true;
    }
  }
  return false;
}

[[nodiscard]] json row_of(const recorded_program& what, const named_machine& network,
                          const machine& on) {
  const prediction found = plait::simulate::predict(what.operations, on);
  json row{{"dialect", "plait"},
           {"network", network.name},
           {"policy", to_string(on.policy)},
           {"workers", on.workers},
           {"ranks", what.operations.ranks()},
           {"operations", what.operations.operations()},
           {"predicted_s", seconds(found.time_ps)}};
  add_parts(row, found, what.operations.names);
  if (on.links != nullptr) return row;  // what the links take is no matter of L and G
  add_sensitivities(row, what, on, found);
  if (what.operations.operations() <= plait::simulate::most_scanned_operations)
    add_scans(row, what, on);
  return row;
}

/// Returns the machine with overheads of a file of parameters, if one is named, on the topology.
[[nodiscard]] std::vector<named_machine> machine_on(const dataflow_request& asked) {
  std::vector<named_machine> found = machines_of(asked.networks);
  if (found.size() > 1 || payload_rate_in(asked.networks) > 0)
    throw usage_error(fmt::format(
        "--network {}: beside --topology give one file of parameters, whose overheads count",
        asked.networks));
  found.front().name = asked.topology_words;
  return found;
}

}  // namespace

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

double payload_rate_in(const std::string& word) {
  constexpr double payload = 1448.0 / 1514.0;
  for (const auto& [unit, factor] : {std::pair{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}}) {
    if (!word.ends_with(unit)) continue;
    double number = 0;
    const char* const end = word.data() + word.size() - 4;
    const auto [rest, failed] = std::from_chars(word.data(), end, number);
    if (failed == std::errc() && rest == end && number > 0) return number * factor * payload;
  }
  return 0;
}

std::vector<named_machine> machines_of(const std::string& words) {
  std::vector<named_machine> found;
  model::parameters base;
  bool lacks_eager_limit = false;
  for (const std::string& word : words_in(words)) {
    if (const double rate = payload_rate_in(word); rate > 0) {
      model::parameters network = base;
      network.gap_per_byte_s = 8 / rate;
      found.push_back({word, machine_of(network), lacks_eager_limit});
      continue;
    }
    if (!std::filesystem::exists(word))
      throw usage_error(fmt::format(
          "--network: '{}' is no file of parameters and no rate such as 500mbit", word));
    base = model::read_parameters(word);
    lacks_eager_limit = !std::isfinite(base.eager_limit_bytes);
    found.push_back({word, machine_of(base), lacks_eager_limit});
  }
  if (found.empty()) found.push_back({"free", machine{}});
  return found;
}

recorded_program read_either(const std::string& path, std::optional<std::uint32_t> runtime) {
  if (std::filesystem::is_directory(path)) return plait::simulate::read_recording(path, runtime);
  recorded_program read;
  read.operations = plait::simulate::read_goal(path);
  read.workers = 0;
  return read;
}

json dataflow_rows(const recorded_program& what, const dataflow_request& asked) {
  json rows = json::array();
  const std::string policies = asked.policies.empty() ? policy_of(what) : asked.policies;
  const std::uint32_t hosts = asked.links ? asked.links->hosts : 0;
  for (const named_machine& network :
       asked.links ? machine_on(asked) : machines_of(asked.networks)) {
    for (const std::string& policy : words_in(policies)) {
      machine on = network.on;
      on.policy = plait::simulate::look_policy_from(policy);
      on.bucket_bytes = asked.bucket_bytes;
      on.look_ps = std::llround(asked.look_us * 1e6);
      on.workers = asked.workers != 0 ? asked.workers : what.workers;
      on.pairs_long_messages = what.workers != 0;  // a program of plait's library
      on.cores = asked.cores;
      if (on.cores == 0 && !what.cores.empty()) on.cores = std::ranges::min(what.cores);
      on.node_of = asked.nodes.empty() ? what.node_of
                                       : nodes_in(asked.nodes, what.operations.ranks(), hosts);
      if (asked.links) put_on(*asked.links, what.operations, on);
      rows.push_back(row_of(what, network, on));
      if (asked.links) rows.back()["topology"] = asked.links->source;
      if (network.lacks_eager_limit && has_long_messages(what.operations, on.node_of))
        rows.back()["remark"] = without_eager_limit;
      if (what.measured_ns != 0)
        rows.back()["recorded_s"] = 1e-9 * static_cast<double>(what.measured_ns);
      if (!what.doubt.empty()) {
        rows.back()["trusted"] = false;
        rows.back()["why_not_trusted"] = what.doubt;
      }
    }
  }
  return rows;
}

std::string parts_text(const json& row) {
  std::string parts;
  if (!row.contains("parts")) return parts;
  const double whole = row["predicted_s"].get<double>();
  for (const auto& [name, part] : row["parts"].items()) {
    const double share = whole > 0 ? 100 * part.get<double>() / whole : 0;
    if (share >= 0.5) parts += fmt::format("{} {:.0f} %  ", name.substr(0, name.size() - 2), share);
  }
  return parts;
}

std::size_t network_width(const json& rows, std::size_t least) {
  for (const json& row : rows) least = std::max(least, row.value("network", std::string()).size());
  return least;
}

std::string topology_line(const json& rows) {
  const std::string source = rows.empty() ? "" : rows[0].value("topology", std::string());
  return source.empty() ? "" : fmt::format("bytes on links by {}\n", source);
}

void print_dataflow_rows(const json& rows) {
  const std::size_t width = network_width(rows, 20);
  fmt::print("{:<{}} {:<10} {:>12}  {:<12} {}\n", "network", width, "policy", "predicted ms",
             "limited by", "parts of the critical path");
  for (const json& row : rows) {
    fmt::print("{:<{}} {:<10} {:>12.3f}  {:<12} {}\n", row["network"].get<std::string>(), width,
               row["policy"].get<std::string>(), 1e3 * row["predicted_s"].get<double>(),
               row["limiter"].get<std::string>(), parts_text(row));
  }
  fmt::print("{}", topology_line(rows));
  std::string remark;
  for (const json& row : rows) remark = row.value("remark", remark);
  if (!remark.empty()) fmt::print("{}\n", remark);
  if (!rows.empty() && rows[0].contains("why_not_trusted"))
    fmt::print("not to be trusted: {}\n", rows[0]["why_not_trusted"].get<std::string>());
}

}  // namespace plait::network::simulate
