// SPDX-License-Identifier: BSD-3-Clause
#include "node_processes.hpp"

#include <fmt/format.h>

namespace redblack3d {

node_processes::node_processes(const plait::environment& env, int per_node)
    : per_node_(per_node), nodes_(0) {
  if (per_node < 1)
    throw plait::usage_error(fmt::format("--per-node is {}; a node has at least 1 rank", per_node));
  if (env.size() % per_node != 0)
    throw plait::usage_error(
        fmt::format("--per-node {} does not divide {} ranks; start nodes x {} of them", per_node,
                    env.size(), per_node));
  nodes_ = env.size() / per_node;
  for (int rank = 0; rank < env.size(); ++rank) {
    const int leader = rank - rank % per_node;
    const auto host_of = [&](int one) { return env.hosts()[static_cast<std::size_t>(one)]; };
    if (host_of(rank) != host_of(leader))
      throw plait::usage_error(fmt::format(
          "--per-node {} makes ranks {} and {} one node, but they are on hosts {} and {}; start {} "
          "on each",
          per_node, leader, rank, host_of(leader), host_of(rank), per_node));
  }
}

void node_processes::give_cores_to_leaders(plait::environment& env) const {
  env.set_working([this](int rank) { return leads(rank); });
}

void node_processes::give_cores_to_all(plait::environment& env) {
  env.set_working([](int) { return true; });
}

}  // namespace redblack3d
