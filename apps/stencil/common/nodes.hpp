// SPDX-License-Identifier: BSD-3-Clause
/// Grids of nodes with several processes each: the options, and the two ways to divide the cells,
/// among all processes and among nodes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "domain.hpp"
#include "grid_options.hpp"
#include "measure/base/command_line.hpp"
#include "measure/load/node_processes.hpp"

namespace plait::stencil {

/// The options --per-node, --node-grid and --cells-per-node.
struct node_options {
  int per_node = 1;
  std::string node_grid = "0x0x0";
  std::string cells_per_node;  ///< empty: --size says how many cells there are

  /// `who_runs`: which variants run with how many processes of a node.
  void add_to(measure::command_line& to, const std::string& who_runs);
  /// Returns the grid of nodes.  Errors: usage_error that names --node-grid.
  [[nodiscard]] process_grid<3> grid(const measure::node_processes& processes) const;
  /// Returns the cells of a node, where --cells-per-node is given.  Errors: usage_error that names
  /// the option.
  [[nodiscard]] std::optional<std::array<std::int64_t, 3>> node_cells() const;
};

/// Returns the cells of the grid: those of --size, or those of a node times the grid of nodes.
/// Errors: usage_error where both options say how many.
[[nodiscard]] std::array<std::int64_t, 3> cells_of(const grid_options& cells,
                                                   const node_options& nodes,
                                                   const std::array<int, 3>& node_grid);

/// Help of --grid beside --per-node.
inline constexpr const char* grid_help_of_nodes =
    "Processes, as PXxPYxPZ; 0 = choose: with --per-node the grid of nodes times a grid in each";

/// Calls `make`.  Errors: its usage_error, which then says that --node-grid is what it is about.
auto of_nodes(auto&& make) {
  try {
    return make();
  } catch (const usage_error& refused) {
    throw usage_error(fmt::format("a process for each node (--node-grid): {}", refused.what()));
  }
}

/// Cells divided among all processes and, where variants run with the leaders of nodes, among
/// nodes.
template <class Domain>
struct divided_cells {
  Domain processes;
  std::optional<Domain> nodes;  ///< of every node the leader has its block
  process_grid<3> node_grid;    ///< chosen, whether or not there is a domain of nodes
  std::optional<std::array<std::int64_t, 3>> node_cells;  ///< of --cells-per-node
};

/// Divides the cells.  Where no grid of processes is asked for, each node's block is the processes'
/// blocks together.  `for_leaders`: some variant runs with the leaders.  Errors: usage_error.
template <class Domain>
[[nodiscard]] divided_cells<Domain> divide(const grid_options& cells, const node_options& nodes,
                                           const measure::node_processes& processes,
                                           bool for_leaders) {
  const auto wanted = cells.processes();
  const int per_node = processes.per_node();
  const process_grid<3> node_grid = nodes.grid(processes);
  // A node of one process has the place of its process.
  const auto places =
      per_node > 1 ? node_grid.dims() : process_grid<3>::choose(processes.nodes(), wanted).dims();
  const auto size = cells_of(cells, nodes, places);
  divided_cells<Domain> result{
      per_node > 1 && wanted == std::array<int, 3>{}
          ? Domain(size, cells.beyond(), node_grid, process_grid<3>::choose(per_node))
          : Domain(size, cells.beyond(), processes.nodes() * per_node, wanted),
      {},
      node_grid,
      nodes.node_cells()};
  if (per_node > 1 && for_leaders)
    result.nodes = of_nodes([&] {
      return Domain(size, cells.beyond(), processes.nodes(), node_grid.dims(), per_node);
    });
  return result;
}

/// Errors: usage_error where the ranks of a host need more memory than it has, for so many arrays
/// of a process's and of a node's cells.  The first block is the largest.  Collective.
template <class Domain>
void check_memory(environment& env, const divided_cells<Domain>& whole, int per_node, int arrays) {
  double bytes = memory_bytes(whole.processes.block(0), arrays);
  if (whole.nodes) bytes += memory_bytes(whole.nodes->block(0), arrays) / per_node;
  measure::check_memory(env, "--size", bytes);
}

/// Copies cells of all processes to the leaders' blocks; `to` is null on ranks that lead no node.
/// Collective.  Blocks.
void bring_to_leaders(environment& env, const block_array<double, 3>& from,
                      const decomposition<3>& nodes, block_array<double, 3>* to);

}  // namespace plait::stencil
