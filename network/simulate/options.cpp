// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>

#include "measure/base/parse_line.hpp"

namespace plait::network::simulate {

namespace {

void add_dataflow(CLI::App& app, dataflow_request& asked) {
  app.add_option("--network", asked.networks,
                 "Files of a network's parameters, and rates such as 1gbit,500mbit on top of them");
  app.add_option(
      "--policy", asked.policies,
      "Who looks: none, workers, sleeping, auto, dedicated; several have commas between");
  app.add_option("--workers", asked.workers, "Threads of a rank that run tasks; 0: as recorded");
  app.add_option("--cores", asked.cores,
                 "Cores of a rank; 0: as recorded, for GOAL one more than workers");
  app.add_option("--nodes", asked.nodes,
                 "How many nodes the ranks are on, or the node of each: 0,0,1,1; else as recorded, "
                 "for GOAL one each");
  app.add_option("--topology", asked.topology_words,
                 "Links that nodes share, which SimGrid simulates: a platform file, or "
                 "fat_tree:2;4,4;1,2;1,2,rate=10gbit,latency=1us, star:, torus:, dragonfly:");
  app.add_option("--bucket", asked.bucket_bytes, "Bytes that a link lets pass at once");
  app.add_option("--look", asked.look_us, "Microseconds of a core that a look costs");
}

/// Options of the dialect `plait` are refused beside those of the other.
[[nodiscard]] bool is_loggops(const CLI::App& app, const request& asked,
                              const std::string& dialect) {
  std::string of_plait;
  for (const char* option : {"--network", "--policy", "--workers", "--cores", "--nodes",
                             "--topology", "--bucket", "--look"})
    if (app.count(option) > 0) of_plait = option;
  std::string of_loggops;
  std::vector<const char*> words_of_loggops{"--loggops", "--finish", "--write-lp"};
  if (asked.files.size() == 1) words_of_loggops.push_back("--ranks");
  for (const char* option : words_of_loggops)
    if (app.count(option) > 0) of_loggops = option;
  std::error_code failed;
  const bool is_folder =
      std::filesystem::is_directory(asked.files.front(), failed) || asked.files.size() > 1;
  bool loggops = dialect == "loggops";
  if (dialect.empty()) loggops = of_plait.empty() && (!is_folder || !of_loggops.empty());
  if (!dialect.empty() && dialect != "loggops" && dialect != "plait")
    throw usage_error(
        fmt::format("--dialect: there is no '{}'; there are loggops and plait", dialect));
  const std::string& other = loggops ? of_plait : of_loggops;
  if (!other.empty())
    throw usage_error(
        fmt::format("{}: not in the dialect {}", other, loggops ? "loggops" : "plait"));
  if (app.count("--topology") > 0 && app.count("--bucket") > 0)
    throw usage_error("--bucket: not beside --topology, whose links have none");
  if (asked.dataflow.look_us < 0 || asked.dataflow.look_us > 1e6)
    throw usage_error("--look: give 0 to 1000000 microseconds");
  constexpr std::uint32_t most_threads = 4096;
  if (asked.dataflow.workers > most_threads || asked.dataflow.cores > most_threads)
    throw usage_error("--workers and --cores go up to 4096");
  return loggops;
}

/// Reads "216x216x216"; the last number is that of the last axis.
[[nodiscard]] plait::simulate::grid_extents grid_from(const std::string& text) {
  plait::simulate::grid_extents grid{1, 1, 1, 1};
  std::vector<std::uint32_t> extents;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, 'x');) {
    const char* end = word.data() + word.size();
    const auto number = std::from_chars(word.data(), end, extents.emplace_back());
    if (number.ec != std::errc{} || number.ptr != end) extents.back() = 0;
  }
  if (extents.empty() || extents.size() > grid.size() || text.back() == 'x' ||
      std::ranges::min(extents) < 3)
    throw usage_error(fmt::format(
        "--ranks: '{}' is no grid of up to four axes with 3 ranks each or more, such as 8x8x8",
        text));
  std::ranges::copy(extents, grid.end() - static_cast<std::ptrdiff_t>(extents.size()));
  return grid;
}

/// Reads "8,64,4x4"; the last number of a grid is that of the last axis.
[[nodiscard]] std::vector<wanted_ranks> ranks_from(const std::string& text) {
  std::vector<wanted_ranks> all;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    std::vector<std::uint32_t> extents;
    std::istringstream numbers(word);
    for (std::string one; std::getline(numbers, one, 'x');) {
      const char* const end = one.data() + one.size();
      const auto number = std::from_chars(one.data(), end, extents.emplace_back());
      if (number.ec != std::errc{} || number.ptr != end) extents.back() = 0;
    }
    wanted_ranks& wanted = all.emplace_back();
    if (extents.empty() || extents.size() > wanted.grid.size() || word.back() == 'x' ||
        std::ranges::min(extents) == 0)
      throw usage_error(fmt::format(
          "--ranks: '{}' is no number of ranks such as 8, and no grid such as 4x4", word));
    constexpr std::uint64_t most_ranks = 1'000'000;
    std::uint64_t ranks = 1;
    for (const std::uint32_t extent : extents) ranks = std::min(ranks * extent, most_ranks + 1);
    if (ranks > most_ranks)
      throw usage_error(fmt::format("--ranks: {} is more than {} ranks", word, most_ranks));
    wanted.ranks = static_cast<std::uint32_t>(ranks);
    if (extents.size() > 1) {
      wanted.grid.fill(1);
      std::ranges::copy(extents, wanted.grid.end() - static_cast<std::ptrdiff_t>(extents.size()));
    }
    if (std::ranges::count(all, all.back()) > 1)
      throw usage_error(fmt::format("--ranks: {} twice", word));
  }
  if (all.empty())
    throw usage_error("several recordings: give --ranks, the numbers of ranks to predict: 8,64");
  return all;
}

void refuse_beside_several(const CLI::App& app) {
  for (const char* option : {"--finish", "--write-lp"})
    if (app.count(option) > 0)
      throw usage_error(fmt::format("{}: not with several recordings", option));
}

}  // namespace

std::optional<request> parse(int argc, char** argv) {
  request asked;
  std::string dialect;
  std::string network;
  int runtime = -1;
  std::string ranks;
  CLI::App app("How long a program takes on a machine that is not here", "simulate");
  app.add_option(
         "file", asked.files,
         "GOAL file, text or binary, or the folder of a recording; recordings of one program "
         "on several numbers of ranks for --ranks 8,64")
      ->required();
  app.add_option(
      "--dialect", dialect,
      "loggops: as LogGOPSim, for GOAL files the default; plait: who looks after messages "
      "and on whose core counts, for recordings the default");
  app.add_option("--loggops", network,
                 "L=2500,o=1500,g=1000,G=6,O=0,S=65535: ns, ns a byte, bytes");
  add_dataflow(app, asked.dataflow);
  app.add_option("--runtime", runtime, "Runtime of a recording to take, from 0; -1: all");
  app.add_option(
      "--ranks", ranks,
      "Of several recordings the numbers of ranks, or grids, to predict: 8,64 or 4x4; of "
      "one file another grid for a program on a periodic grid: 216x216x216");
  app.add_option("--ranks-of-a-node", asked.ranks_of_a_node,
                 "Of several recordings: how many ranks share a node; 0: as recorded, for GOAL 1");
  app.add_flag("--same-work", asked.same_work,
               "Of several recordings: the work of a rank does not grow, and durations are those "
               "of the fewest ranks");
  app.add_flag("--finish", asked.finish, "Print each rank's finish time in ns, and nothing else");
  app.add_option("--json", asked.json_file, "File for the result; - = standard output");
  app.add_option("--write-goal", asked.goal_file, "File for the program as GOAL text");
  app.add_option("--write-binary", asked.binary_file, "File for the program in GOAL's binary form");
  app.add_option("--write-lp", asked.linear_program_file,
                 "File for the run as a linear program, its order frozen");
  if (!measure::parse_line<usage_error>(app, argc, argv)) return std::nullopt;
  if (runtime >= 0) asked.runtime = static_cast<std::uint32_t>(runtime);
  asked.is_loggops = is_loggops(app, asked, dialect);
  asked.loggops = plait::simulate::parse_loggops(network);
  asked.file = asked.files.front();
  if (asked.files.size() > 1) {
    asked.ranks = ranks_from(ranks);
    refuse_beside_several(app);
  } else if (!ranks.empty()) {
    asked.grid = grid_from(ranks);
  }
  if (asked.same_work && asked.files.size() == 1)
    throw usage_error("--same-work: is of several recordings");
  if (asked.finish && asked.json_file == "-")
    throw usage_error("--finish and --json - both want standard output; name a file");
  if (asked.ranks.size() > 1 && !(asked.goal_file.empty() && asked.binary_file.empty()))
    throw usage_error("--write-goal and --write-binary: give one number of ranks");
  const std::pair<const char*, const std::string*> files[] = {
      {"--json", &asked.json_file},
      {"--write-goal", &asked.goal_file},
      {"--write-binary", &asked.binary_file},
      {"--write-lp", &asked.linear_program_file}};
  for (const auto& [option, path] : files)
    if (const std::string why = path->empty() ? "" : why_not_writable(*path); !why.empty())
      throw usage_error(fmt::format("{}: cannot write '{}': {}", option, *path, why));
  return asked;
}

}  // namespace plait::network::simulate
