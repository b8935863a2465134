// SPDX-License-Identifier: BSD-3-Clause
#include "nodes.hpp"

#include <plait/comm/mpi.hpp>

#include "measure/session_options.hpp"

namespace plait::stencil {

void node_options::add_to(measure::command_line& to, const std::string& who_runs) {
  to.option("--per-node", per_node, "Processes of a node, each after the other: " + who_runs);
  to.option("--node-grid", node_grid, "Nodes, as PXxPYxPZ, where --per-node is above 1");
}

process_grid<3> node_options::grid(const measure::node_processes& processes) const {
  const auto wanted = measure::parse_grid("--node-grid", node_grid);
  if (processes.per_node() == 1 && wanted != std::array<int, 3>{})
    throw usage_error("--node-grid is of use with --per-node above 1; else give --grid");
  return of_nodes([&] { return process_grid<3>::choose(processes.nodes(), wanted); });
}

void bring_to_leaders(environment& env, const block_array<double, 3>& from,
                      const decomposition<3>& nodes, block_array<double, 3>* to) {
  engine messages(env, {.policy = progress::none});
  block_array<double, 3> no_block(nodes, env.rank());
  mover(redistribution(from, to != nullptr ? *to : no_block), messages).run();
}

}  // namespace plait::stencil
