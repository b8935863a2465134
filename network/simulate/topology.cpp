// SPDX-License-Identifier: BSD-3-Clause
#include "topology.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <plait/core/error.hpp>

#include "dataflow_answer.hpp"

namespace plait::network::simulate {
namespace {

constexpr std::uint32_t most_hosts = 4096;  // of a topology in words

/// Kinds of clusters that SimGrid makes of numbers.  Levels have a `;` between them.
struct kind_of_cluster {
  std::string_view name;
  std::string_view in_file;
  std::string_view form;
};
constexpr kind_of_cluster kinds[] = {
    {"star", "FLAT", "star:HOSTS"},
    {"torus", "TORUS", "torus:X,Y,Z"},
    {"fat_tree", "FAT_TREE",
     "fat_tree:LEVELS;hosts and switches below a switch of each level;switches above;links to "
     "each"},
    {"dragonfly", "DRAGONFLY",
     "dragonfly:GROUPS,links;chassis of a group,links;routers of a chassis,links;HOSTS of a "
     "router"}};

[[noreturn]] void refuse(const std::string& words, const std::string& why) {
  throw usage_error(fmt::format("--topology {}: {}", words, why));
}

/// Returns the numbers of "2;4,4", by level; empty if it has anything else.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> levels_in(std::string_view text) {
  std::vector<std::vector<std::uint32_t>> levels{{}};
  for (const char* at = text.data(); at != text.data() + text.size();) {
    const auto [rest, failed] =
        std::from_chars(at, text.data() + text.size(), levels.back().emplace_back());
    if (failed != std::errc() || levels.back().back() == 0) return {};
    if (rest == text.data() + text.size()) return levels;
    if (*rest == ';') levels.emplace_back();
    if ((*rest != ';' && *rest != ',') || rest + 1 == text.data() + text.size()) return {};
    at = rest + 1;
  }
  return {};
}

/// Returns how many hosts there are, or 0 if the numbers are not those of such a topology.
[[nodiscard]] std::uint64_t hosts_of(std::string_view kind,
                                     const std::vector<std::vector<std::uint32_t>>& levels) {
  const auto product = [](const auto& numbers) {
    std::uint64_t all = 1;
    for (const std::uint32_t number : numbers) all = std::min<std::uint64_t>(all, 1 << 20) * number;
    return all;
  };
  if (kind == "fat_tree") {
    if (levels.size() != 4 || levels[0].size() != 1) return 0;
    for (std::size_t i = 1; i < 4; ++i)
      if (levels[i].size() != levels[0][0]) return 0;
    return levels[2][0] == 1 ? product(levels[1]) : 0;  // a host has one switch
  }
  if (kind == "dragonfly") {
    if (levels.size() != 4 || levels[3].size() != 1) return 0;
    for (std::size_t i = 0; i < 3; ++i)
      if (levels[i].size() != 2) return 0;
    return product(std::vector{levels[0][0], levels[1][0], levels[2][0], levels[3][0]});
  }
  if (levels.size() != 1 || (kind == "star" && levels[0].size() != 1)) return 0;
  return product(levels[0]);
}

/// Returns the seconds of "1us", or a negative number.
[[nodiscard]] double seconds_in(std::string_view word) {
  for (const auto& [unit, factor] : {std::pair{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}}) {
    double number = 0;
    if (!word.ends_with(unit)) continue;
    const char* const end = word.data() + word.size() - 2;
    const auto [rest, failed] = std::from_chars(word.data(), end, number);
    if (failed == std::errc() && rest == end && number >= 0 && number < 1e9) return number * factor;
  }
  return -1;
}

[[nodiscard]] std::uint64_t messages_of(const plait::simulate::program& what) {
  std::uint64_t all = 0;
  for (std::uint32_t rank = 0; rank < what.ranks(); ++rank)
    all += static_cast<std::uint64_t>(std::ranges::count(what.of_rank(rank).operations,
                                                         plait::simulate::operation_kind::send,
                                                         &plait::simulate::operation::kind));
  return all * what.iterations;
}

}  // namespace

std::optional<std::string> platform_of(const std::string& words) {
  const std::size_t colon = words.find(':');
  const auto kind = std::ranges::find(kinds, words.substr(0, colon), &kind_of_cluster::name);
  if (kind == std::end(kinds) || colon == std::string::npos) return std::nullopt;
  const std::size_t settings = std::min(words.find(",rate="), words.find(",latency="));
  const std::string numbers = words.substr(colon + 1, settings - colon - 1);
  const std::uint64_t hosts = hosts_of(kind->name, levels_in(numbers));
  if (hosts == 0) refuse(words, fmt::format("give {}", kind->form));
  if (hosts < 2 || hosts > most_hosts)
    refuse(words, fmt::format("{} hosts; give 2 to {}", hosts, most_hosts));
  double bytes_per_s = 0;
  double latency_s = 0;
  const std::string rest = settings == std::string::npos ? "" : words.substr(settings + 1);
  for (const std::string& word : words_in(rest)) {
    const std::string value = word.substr(word.find('=') + 1);
    if (word.starts_with("rate=")) bytes_per_s = payload_rate_in(value) / 8;
    if (word.starts_with("latency=")) latency_s = seconds_in(value);
    if (!word.starts_with("rate=") && !word.starts_with("latency="))
      refuse(words, fmt::format("there is no '{}'; there are rate= and latency=", word));
  }
  if (bytes_per_s <= 0 || latency_s < 0)
    refuse(words, "give ,rate=10gbit and may be ,latency=1us, of each link");
  return fmt::format(
      R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="links" prefix="node-" suffix="" radical="0-{}"
speed="1Gf" bw="{}Bps" lat="{}s" topology="{}" topo_parameters="{}"/></platform>
)",
      hosts - 1, bytes_per_s, latency_s, kind->in_file, numbers);
}

void put_on(const topology& links, const plait::simulate::program& what,
            plait::simulate::machine& on) {
  const std::uint32_t ranks = what.ranks();
  const auto nodes = on.node_of.empty() ? std::size_t{ranks}
                                        : std::set(on.node_of.begin(), on.node_of.end()).size();
  const std::uint32_t last = on.node_of.empty() ? ranks : std::ranges::max(on.node_of) + 1;
  if (last > links.hosts)
    throw usage_error(
        fmt::format("--topology: {} hosts are too few for node {}; --nodes or --ranks-of-a-node "
                    "has several ranks share one",
                    links.hosts, last - 1));
  if (nodes > most_nodes)
    throw usage_error(
        fmt::format("--topology: {} nodes; more than {} take too long to simulate "
                    "link by link. Leave the option out: nodes then share nothing "
                    "but their own ports",
                    nodes, most_nodes));
  if (const std::uint64_t messages = messages_of(what); messages > most_messages)
    throw usage_error(
        fmt::format("--topology: {} messages; more than {} take too long to simulate "
                    "link by link. Record fewer steps",
                    messages, most_messages));
  on.links = links.links.get();
}

}  // namespace plait::network::simulate
