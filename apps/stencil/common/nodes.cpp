// SPDX-License-Identifier: BSD-3-Clause
#include "nodes.hpp"

#include <plait/comm/mpi.hpp>

#include "measure/base/session_options.hpp"

namespace plait::stencil {

void node_options::add_to(measure::command_line& to, const std::string& who_runs) {
  to.option("--per-node", per_node, "Processes of a node, each after the other: " + who_runs);
  to.option("--node-grid", node_grid, "Nodes, as PXxPYxPZ, where --per-node is above 1");
  to.option("--cells-per-node", cells_per_node,
            "Instead of --size: cells of each node, as NXxNYxNZ, whatever the number of nodes "
            "(weak scaling)");
}

process_grid<3> node_options::grid(const measure::node_processes& processes) const {
  const auto wanted = measure::parse_grid("--node-grid", node_grid);
  if (processes.per_node() == 1 && wanted != std::array<int, 3>{})
    throw usage_error("--node-grid is of use with --per-node above 1; else give --grid");
  return of_nodes([&] { return process_grid<3>::choose(processes.nodes(), wanted); });
}

std::optional<std::array<std::int64_t, 3>> node_options::node_cells() const {
  if (cells_per_node.empty()) return std::nullopt;
  return measure::parse_extents("--cells-per-node", cells_per_node, 1);
}

std::array<std::int64_t, 3> cells_of(const grid_options& cells, const node_options& nodes,
                                     const std::array<int, 3>& node_grid) {
  auto size = nodes.node_cells();
  if (!size) return cells.cells();
  if (cells.size != grid_options{}.size)
    throw usage_error(
        "--cells-per-node and --size both say how many cells there are; leave one out");
  for (std::size_t axis = 0; axis < size->size(); ++axis) (*size)[axis] *= node_grid[axis];
  return *size;
}

void bring_to_leaders(environment& env, const block_array<double, 3>& from,
                      const decomposition<3>& nodes, block_array<double, 3>* to) {
  engine messages(env, {.policy = progress::none});
  block_array<double, 3> no_block(nodes, env.rank());
  mover(redistribution(from, to != nullptr ? *to : no_block), messages).run();
}

}  // namespace plait::stencil
