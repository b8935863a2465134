// SPDX-License-Identifier: BSD-3-Clause
/// Links between nodes that messages share, by `--topology`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <plait/simulate/dataflow.hpp>
#include <plait/simulate/flow_network.hpp>
#include <plait/simulate/program.hpp>

namespace plait::network::simulate {

/// More nodes than these take too long to simulate, and so do more messages.
inline constexpr std::size_t most_nodes = 200;
inline constexpr std::uint64_t most_messages = 2'000'000;

/// A topology, ready to carry bytes.
struct topology {
  std::string source;  ///< who says when bytes have come: "SimGrid 3.32, fat tree of 16 hosts"
  std::uint32_t hosts = 0;
  std::unique_ptr<plait::simulate::flow_network> links;
};

/// Loads what the words name and returns nothing, in the program that has SimGrid.  In any other,
/// has that program answer the command line, and returns its exit code.  Errors: usage_error, one
/// line: the words or the file are wrong, SimGrid has given up, or there is no such program.
[[nodiscard]] std::optional<int> prepare_topology(char** argv, const std::string& words,
                                                  std::shared_ptr<topology>& loaded);

/// Returns a platform file of SimGrid for "fat_tree:2;4,4;1,2;1,2,rate=10gbit,latency=1us" and its
/// like, with hosts "node-0" and so on; nothing where the words name no kind of topology.  A rate
/// is that of a link of Ethernet, as for `--network`, and both are of each link.  Errors:
/// usage_error.
[[nodiscard]] std::optional<std::string> platform_of(const std::string& words);

/// Has the program's ranks send over the links: node n is host n.  Errors: usage_error where there
/// are too few hosts, or too many nodes or messages.
void put_on(const topology& links, const plait::simulate::program& what,
            plait::simulate::machine& on);

}  // namespace plait::network::simulate
