// SPDX-License-Identifier: BSD-3-Clause
// RedBlack3D: Poisson's equation by Gauss-Seidel with red-black ordering, under the policies of the
// multi-tier KeLP paper and two of plait's own.  One MPI job runs all of them in turns and writes
// one result.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measure/command_line.hpp"
#include "measure/session_options.hpp"
#include "measurement.hpp"
#include "shares.hpp"

namespace {

constexpr std::array<std::string_view, 2> known_outliers{"median", "kelp"};

struct command {
  std::string size = "512x512x64";
  std::string grid = "0x0x0";
  int per_node = 1;
  std::string node_grid = "0x0x0";
  std::string boundary = "dirichlet";
  std::string policies = "HAND,MT(1)+!OLAP,MT(1)+OLAP,MT(1)+OLAP+XTRA,TASK,IDEAL";
  std::string outliers = "median";
  std::string slow = "0:1";
  plait::measure::session_options session;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options(
      "Poisson's equation in three dimensions by Gauss-Seidel with red-black ordering",
      "redblack3d");
  options.option("--size", c.size, "Cells, as NXxNYxNZ");
  options.option(
      "--grid", c.grid,
      "Processes, as PXxPYxPZ; 0 = choose: with --per-node the grid of nodes times a grid in each");
  options.option(
      "--per-node", c.per_node,
      "Processes of a node, each after the other: HAND, IDEAL and MT(1) without XTRA and "
      "DYN run with all of them, other policies with one a node");
  options.option("--node-grid", c.node_grid, "Nodes, as PXxPYxPZ, where --per-node is above 1");
  options.option("--boundary", c.boundary, "dirichlet (zero) or periodic");
  options.option("--policies", c.policies,
                 "HAND, MT(k)[+!OLAP|+OLAP[+XTRA]][+IRR(m:n)|+DYN], TASK[+MT(k)][+XTRA], IDEAL, "
                 "with commas between");
  options.renamed("--policy", "--policies");
  plait::measure::add_lengths(options, c.session, "Gauss-Seidel steps of a run", "policy");
  options.option("--outliers", c.outliers,
                 "What the table quotes: median, or kelp, the mean without runs that took at least "
                 "25 % longer than the others' mean");
  options.option("--slow", c.slow,
                 "WORKER:FACTOR, a worker of each node that takes so much longer");
  plait::measure::add_outputs(options, c.session, "policy");
  return options.parse(argc, argv, env);
}

redblack3d::slow_worker parse_slow(const std::string& text) {
  redblack3d::slow_worker result;
  const char* const end = text.data() + text.size();
  const auto worker = std::from_chars(text.data(), end, result.worker);
  const bool colon = worker.ec == std::errc{} && worker.ptr != end && *worker.ptr == ':';
  const auto factor = colon ? std::from_chars(worker.ptr + 1, end, result.factor) : worker;
  if (!colon || factor.ec != std::errc{} || factor.ptr != end || result.worker < 0 ||
      !(result.factor >= 1 && result.factor <= 1000))
    throw plait::usage_error(fmt::format(
        "--slow is '{}'; it must be a worker and a factor from 1 to 1000, such as 1:1.5", text));
  return result;
}

redblack3d::options checked(const command& c) {
  plait::measure::check(c.session);
  redblack3d::options result;
  result.policies = redblack3d::parse_policies(c.policies);
  result.kelp_means =
      plait::measure::parse_name("--outliers", c.outliers, known_outliers) == "kelp";
  result.slow = parse_slow(c.slow);
  return result;
}

/// Calls `make`.  Errors: its usage_error, which then says that --node-grid is what it is about.
auto of_nodes(auto&& make) {
  try {
    return make();
  } catch (const plait::usage_error& refused) {
    throw plait::usage_error(
        fmt::format("a process for each node (--node-grid): {}", refused.what()));
  }
}

redblack3d::domains domains_of(const command& c, const redblack3d::node_processes& processes,
                               const redblack3d::options& chosen) {
  const auto cells = plait::measure::parse_extents("--size", c.size, 1);
  const bool periodic = plait::measure::parse_name("--boundary", c.boundary,
                                                   redblack3d::boundary_names) == "periodic";
  const auto edge = periodic ? redblack3d::boundary::periodic : redblack3d::boundary::dirichlet;
  using grid = plait::process_grid<3>;
  const auto wanted = plait::measure::parse_grid("--grid", c.grid);
  const auto wanted_of_nodes = plait::measure::parse_grid("--node-grid", c.node_grid);
  const int nodes = processes.nodes(), per_node = processes.per_node();
  if (per_node == 1 && wanted_of_nodes != grid::dimensions{})
    throw plait::usage_error("--node-grid is of use with --per-node above 1; else give --grid");
  const grid node_grid = of_nodes([&] { return grid::choose(nodes, wanted_of_nodes); });
  const bool in_nodes = per_node > 1 && wanted == grid::dimensions{};
  redblack3d::domains result{
      in_nodes ? redblack3d::domain(cells, edge, node_grid, grid::choose(per_node))
               : redblack3d::domain(cells, edge, nodes * per_node, wanted),
      std::nullopt, node_grid};
  if (std::ranges::any_of(chosen.policies, [&](auto& how) { return processes.leaders_only(how); }))
    result.nodes = of_nodes(
        [&] { return redblack3d::domain(cells, edge, nodes, node_grid.dims(), per_node); });
  return result;
}

/// Errors: usage_error where --slow names a worker that no policy has.  Collective.
void check_slow(plait::environment& env, const redblack3d::node_processes& processes,
                const redblack3d::options& chosen) {
  processes.give_cores_to_leaders(env);
  const int cores = static_cast<int>(
      plait::measure::maximum(env, plait::fair_share(env.node_units(), env.node_rank())));
  redblack3d::node_processes::give_cores_to_all(env);
  int most = 0;
  for (const redblack3d::policy& how : chosen.policies)
    most = std::max(most, how.threads != 0 ? how.threads : cores);
  if (chosen.slow.factor != 1 && chosen.slow.worker >= most)
    throw plait::usage_error(
        fmt::format("--slow names worker {}, but no policy has more than {} (the first is 0)",
                    chosen.slow.worker, most == 1 ? "1 worker" : fmt::format("{} workers", most)));
}

void check_memory(plait::environment& env, const redblack3d::domains& whole,
                  const redblack3d::node_processes& processes) {
  // The first block is the largest.
  double bytes = redblack3d::memory_bytes(whole.processes.block(0));
  if (whole.nodes) bytes += redblack3d::memory_bytes(whole.nodes->block(0)) / processes.per_node();
  plait::measure::check_memory(env, "--size", bytes);
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "redblack3d", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    const redblack3d::options chosen = checked(given);
    const redblack3d::node_processes processes(env, given.per_node);
    const redblack3d::domains whole = domains_of(given, processes, chosen);
    check_memory(env, whole, processes);
    check_slow(env, processes, chosen);
    for (const redblack3d::policy& how : chosen.policies)
      redblack3d::check_shares(processes.leaders_only(how) ? *whole.nodes : whole.processes, how);
    return redblack3d::measure(env, whole, processes, chosen, given.session);
  });
}
