// SPDX-License-Identifier: BSD-3-Clause
#include "node_processes.hpp"

#include <utility>

#include <fmt/format.h>

#include "measure/base/gather.hpp"

namespace plait::measure {

node_processes::node_processes(environment& env, int per_node) : env_(env), per_node_(per_node) {
  if (per_node < 1)
    throw usage_error(fmt::format("--per-node is {}; a node has at least 1 rank", per_node));
  if (env.size() % per_node != 0)
    throw usage_error(
        fmt::format("--per-node {} does not divide {} ranks; start nodes x {} of them", per_node,
                    env.size(), per_node));
  for (int rank = 0; rank < env.size(); ++rank) {
    const int leader = rank - rank % per_node;
    const auto host_of = [&](int one) { return env.hosts()[static_cast<std::size_t>(one)]; };
    if (host_of(rank) != host_of(leader))
      throw usage_error(fmt::format(
          "--per-node {} makes ranks {} and {} one node, but they are on hosts {} and {}; start {} "
          "on each",
          per_node, leader, rank, host_of(leader), host_of(rank), per_node));
  }
}

void node_processes::give_cores_to_leaders() const {
  env_.set_working([per_node = per_node_](int rank) { return rank % per_node == 0; });
}

void node_processes::give_cores_to_all() const {
  env_.set_working([](int) { return true; });
}

int node_processes::cores_of_a_leader() const {
  give_cores_to_leaders();
  const double cores = maximum(env_, fair_share(env_.node_units(), env_.node_rank()));
  give_cores_to_all();
  return static_cast<int>(cores);
}

compared_variant node_processes::with_leaders(compared_variant one) const {
  one.leads = true;
  one.prepare = [this, prepare = std::move(one.prepare)] {
    give_cores_to_leaders();
    prepare();
  };
  one.finish = [this, finish = std::move(one.finish)] {
    run_report report = finish();
    give_cores_to_all();
    return report;
  };
  return one;
}

compared_variant node_processes::asleep_beside_tasks(std::string name) const {
  return asleep(std::move(name), [this] {
    return std::make_shared<runtime>(
        env_, runtime_options{.engine = {.policy = progress::none}, .tasks = {.workers = 1}});
  });
}

compared_variant node_processes::asleep(std::string name,
                                        std::function<std::shared_ptr<void>()> attend) const {
  const auto present = std::make_shared<std::shared_ptr<void>>();
  compared_variant result;
  result.name = std::move(name);
  result.takes_part = false;
  result.prepare = [present, attend = std::move(attend)] { *present = attend(); };
  result.finish = [present] {
    present->reset();
    return run_report{};
  };
  return with_leaders(std::move(result));
}

}  // namespace plait::measure
