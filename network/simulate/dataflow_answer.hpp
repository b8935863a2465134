// SPDX-License-Identifier: BSD-3-Clause
/// The answer in the dialect `plait`: a row for each network and policy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <plait/simulate/dataflow.hpp>
#include <plait/simulate/recorded_program.hpp>

namespace plait::network::simulate {

struct topology;

/// A network by the word that asked for it.
struct named_machine {
  std::string name;
  plait::simulate::machine on;
  bool lacks_eager_limit = false;  ///< its file has no S
};

/// Wishes of a command line for the dialect `plait`.
struct dataflow_request {
  std::string networks;        ///< files of parameters and rates such as 1gbit, with commas between
  std::string policies;        ///< empty: as recorded; of a GOAL file `dedicated`
  std::string nodes;           ///< a number of nodes, or the node of each rank; empty: as recorded
  std::string topology_words;  ///< what connects nodes; empty: each has a port of its own
  std::shared_ptr<topology> links;  ///< that they name
  std::uint64_t bucket_bytes = 0;
  double look_us = 0;
  std::uint32_t workers = 0;  ///< 0: as recorded, or as operations name processors
  std::uint32_t cores = 0;    ///< 0: as recorded; of GOAL one more than workers
};

/// Returns the words between commas.
[[nodiscard]] std::vector<std::string> words_in(const std::string& text);

/// Returns the bits of payload a second on a link of Ethernet whose rate is "250mbit" or "2.5gbit",
/// or 0 for another word.
[[nodiscard]] double payload_rate_in(const std::string& word);

/// Returns the machines that words name.  A rate is that of a link of Ethernet, whose payload is
/// 1448 of 1514 bytes; latency and overheads are those of the last file before it, or 0.  No words:
/// a network that costs nothing.  Errors: usage_error that names the word.
[[nodiscard]] std::vector<named_machine> machines_of(const std::string& words);

/// Reads a recording's folder or a GOAL file.  Errors: usage_error.
[[nodiscard]] plait::simulate::recorded_program read_either(const std::string& path,
                                                            std::optional<std::uint32_t> runtime);

/// Returns a row for each network and policy.  Errors: usage_error.
[[nodiscard]] nlohmann::ordered_json dataflow_rows(const plait::simulate::recorded_program& what,
                                                   const dataflow_request& asked);

/// Returns the shares of the critical path: "computation 86 %  bytes 13 %".
[[nodiscard]] std::string parts_text(const nlohmann::ordered_json& row);

/// Returns how many letters the longest name of a network has, and `least` at least.
[[nodiscard]] std::size_t network_width(const nlohmann::ordered_json& rows, std::size_t least);

/// Returns a line for the topology that the rows have in common; empty: they have none.
[[nodiscard]] std::string topology_line(const nlohmann::ordered_json& rows);

/// Prints the rows as a table, and below it what is to be known of them.
void print_dataflow_rows(const nlohmann::ordered_json& rows);

}  // namespace plait::network::simulate
