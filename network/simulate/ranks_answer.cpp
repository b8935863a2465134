// SPDX-License-Identifier: BSD-3-Clause
#include "ranks_answer.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/simulate/more_ranks.hpp>

#include "dataflow_answer.hpp"
#include "loggops_answer.hpp"

namespace plait::network::simulate {
namespace {

using json = nlohmann::ordered_json;
using namespace plait::simulate;

/// Laws that are printed.
constexpr std::size_t most_printed = 6;

[[nodiscard]] const char* text_of(power_law::quantity what) {
  switch (what) {
    case power_law::quantity::duration:
      return "duration";
    case power_law::quantity::message_bytes:
      return "bytes";
    case power_law::quantity::call_elements:
      return "elements";
  }
  return "";
}

[[nodiscard]] json laws_of(const more_ranks& all) {
  json laws = json::array();
  for (const power_law& one : all.laws())
    laws.push_back({{"of", one.name},
                    {"quantity", text_of(one.what)},
                    {"exponent", one.exponent},
                    {"fitted", one.fitted},
                    {"largest_residual", one.largest_residual}});
  return laws;
}

[[nodiscard]] std::string text_of(const grid_extents& grid) {
  std::string text;
  for (const std::uint32_t extent : grid) {
    if (text.empty() && extent == 1) continue;
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text.empty() ? "1" : text;
}

struct known_run {
  std::uint32_t ranks = 0;
  std::string file;
  std::uint64_t measured_ns = 0;
};

/// Returns how many ranks each node has, if all have as many, one after the other; else 0.
[[nodiscard]] std::uint32_t ranks_of_nodes(const recorded_program& run) {
  const auto each =
      static_cast<std::uint32_t>(std::ranges::count(run.node_of, run.node_of.front()));
  for (std::uint32_t rank = 0; rank < run.node_of.size(); ++rank)
    if (run.node_of[rank] != rank / each) return 0;
  return run.node_of.size() % each == 0 ? each : 0;
}

/// Returns the node of each rank.  Errors: usage_error where recordings have different ones.
[[nodiscard]] std::vector<std::uint32_t> nodes_for(const std::vector<recorded_program>& runs,
                                                   const request& asked, std::uint32_t ranks) {
  if (!asked.dataflow.nodes.empty()) return {};
  std::uint32_t each = asked.ranks_of_a_node;
  for (const recorded_program& run : runs) {
    if (asked.ranks_of_a_node != 0 || run.node_of.empty()) continue;
    const std::uint32_t found = ranks_of_nodes(run);
    if (found == 0 || (each != 0 && found != each))
      throw usage_error(
          "recordings do not have the same number of ranks on each node; give --ranks-of-a-node");
    each = found;
  }
  std::vector<std::uint32_t> nodes(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) nodes[rank] = rank / std::max(each, 1U);
  return nodes;
}

/// Recordings of other machines say nothing of one another.
void expect_alike(const recorded_program& first, const recorded_program& other,
                  const std::string& file, const dataflow_request& asked) {
  const auto cores_of = [](const recorded_program& run) {
    return run.cores.empty() ? 0 : std::ranges::min(run.cores);
  };
  const auto expect = [&](const char* option, bool is_given, const auto& one, const auto& two) {
    if (!is_given && one != two)
      throw usage_error(fmt::format("{}: recorded with {} {}, others with {}; give --{}", file,
                                    option, two, one, option));
  };
  expect("policy", !asked.policies.empty(), first.policy, other.policy);
  expect("workers", asked.workers != 0, first.workers, other.workers);
  expect("cores", asked.cores != 0, cores_of(first), cores_of(other));
}

}  // namespace

ranks_answer rows_over_ranks(const request& asked,
                             const std::function<void(const program&)>& made) {
  std::vector<recorded_calls> recorded;
  std::vector<recorded_program> runs;
  std::vector<known_run> known;
  for (const std::string& file : asked.files) {
    recorded.push_back(read_calls(file, asked.runtime));
    const recorded_calls& one = recorded.back();
    runs.push_back(one.run);
    known.push_back({one.program.ranks(), file, one.run.measured_ns});
    if (one.run.name != runs.front().name)
      throw usage_error(
          fmt::format("{}: is of '{}', not of '{}'", file, one.run.name, runs.front().name));
    if (!asked.is_loggops) expect_alike(runs.front(), one.run, file, asked.dataflow);
  }
  const more_ranks all(std::move(recorded),
                       asked.same_work ? durations::of_fewest_ranks : durations::of_all);
  std::ranges::stable_sort(known, {}, &known_run::ranks);  // as the grids are
  ranks_answer answer{json::array(), laws_of(all)};
  for (const wanted_ranks& wanted : asked.ranks) {
    const grid_extents grid = wanted.grid[0] == 0 ? all.grid_of(wanted.ranks) : wanted.grid;
    recorded_program what = runs.front();
    what.operations = expanded(all.generate(grid));
    what.node_of = nodes_for(runs, asked, wanted.ranks);
    const auto grids = all.grids();
    const auto place = std::ranges::find(grids, grid) - grids.begin();
    const known_run run =
        place < std::ssize(known) ? known[static_cast<std::size_t>(place)] : known_run{};
    what.measured_ns = run.measured_ns;
    made(what.operations);
    json rows = asked.is_loggops ? json::array({loggops_row(what.operations, asked.loggops)})
                                 : dataflow_rows(what, asked.dataflow);
    for (json& row : rows) {
      const std::string why = all.why_not_trusted(grid);
      row["grid"] = text_of(grid);
      if (!run.file.empty()) row["recording"] = run.file;
      row["trusted"] = why.empty() && row.value("trusted", true);
      if (!why.empty()) row["why_not_trusted"] = why;
      answer.rows.push_back(row);
    }
  }
  return answer;
}

void print_rows_over_ranks(const ranks_answer& found) {
  const std::size_t width = network_width(found.rows, 16);
  fmt::print("{:>8} {:<10} {:<{}} {:<10} {:>12}  {:<12} {:<8} {}\n", "ranks", "grid", "network",
             width, "policy", "predicted ms", "limited by", "trusted",
             "parts of the critical path");
  std::string said;
  for (const json& row : found.rows) {
    const bool trusted = row["trusted"].get<bool>();
    fmt::print("{:>8} {:<10} {:<{}} {:<10} {:>12.3f}  {:<12} {:<8} {}\n",
               row["ranks"].get<std::uint64_t>(), row["grid"].get<std::string>(),
               row.value("network", std::string("loggops")), width,
               row.value("policy", std::string()), 1e3 * row["predicted_s"].get<double>(),
               row.value("limiter", std::string()), trusted ? "yes" : "no", parts_text(row));
    if (!trusted)
      said += fmt::format("{} ranks: not to be trusted: {}\n", row["grid"].get<std::string>(),
                          row.value("why_not_trusted", std::string("the order changes")));
  }
  fmt::print("{}{}", topology_line(found.rows), said);
  std::size_t printed = 0;
  for (const json& law : found.laws) {
    if (printed++ == most_printed) break;
    fmt::print("{} of '{}': P^{:.2f} (fitted {:.2f})\n", law["quantity"].get<std::string>(),
               law["of"].get<std::string>(), law["exponent"].get<double>(),
               law["fitted"].get<double>());
  }
}

}  // namespace plait::network::simulate
