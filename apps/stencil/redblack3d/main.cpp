// SPDX-License-Identifier: BSD-3-Clause
// RedBlack3D: Poisson's equation by Gauss-Seidel with red-black ordering, under the policies of the
// multi-tier KeLP paper and two of plait's own.  One MPI job runs all of them in turns and writes
// one result.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/cache_tiles.hpp"
#include "common/grid_options.hpp"
#include "common/halo_mpi.hpp"
#include "measure/node_processes.hpp"
#include "measure/program.hpp"
#include "measure/result.hpp"
#include "measure/statistics.hpp"
#include "shares.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

using grid = plait::process_grid<3>;
namespace measure = plait::measure;
using measure::json;
using plait::stencil::halo_mpi;

constexpr std::array<std::string_view, 2> known_outliers{"median", "kelp"};
/// A serial run of more cells, steps counted, would take longer than what it checks.
constexpr double most_serial_cells = 1 << 24;

// The command line -------------------------------------------------------------------------------

struct command {
  plait::stencil::grid_options grid;
  int per_node = 1;
  std::string node_grid = "0x0x0";
  std::string policies = "HAND,MT(1)+!OLAP,MT(1)+OLAP,MT(1)+OLAP+XTRA,TASK,IDEAL";
  std::string outliers = "median";
  std::string slow = "0:1";
  measure::session_options session;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  measure::command_line options(
      "Poisson's equation in three dimensions by Gauss-Seidel with red-black ordering",
      "redblack3d");
  c.grid.add_to(
      options,
      "Processes, as PXxPYxPZ; 0 = choose: with --per-node the grid of nodes times a grid in each");
  options.option(
      "--per-node", c.per_node,
      "Processes of a node, each after the other: HAND, IDEAL and MT(1) without XTRA and "
      "DYN run with all of them, other policies with one a node");
  options.option("--node-grid", c.node_grid, "Nodes, as PXxPYxPZ, where --per-node is above 1");
  c.grid.add_boundary_to(options);
  options.option("--policies", c.policies,
                 "HAND, MT(k)[+!OLAP|+OLAP[+XTRA]][+IRR(m:n)|+DYN], TASK[+MT(k)][+XTRA], IDEAL, "
                 "with commas between");
  options.renamed("--policy", "--policies");
  measure::add_lengths(options, c.session, "Gauss-Seidel steps of a run", "policy");
  options.option("--outliers", c.outliers,
                 "What the table quotes: median, or kelp, the mean without runs that took at least "
                 "25 % longer than the others' mean");
  options.option("--slow", c.slow,
                 "WORKER:FACTOR, a worker of each node that takes so much longer");
  measure::add_outputs(options, c.session, "policy");
  return options.parse(argc, argv, env);
}

struct options {
  std::vector<policy> policies;
  /// Medians, or means without outliers, as the paper has them.
  std::string outliers;
  slow_worker slow;
};

/// The grid, divided among all processes and, where policies run with the leaders of nodes, among
/// nodes.
struct domains {
  domain processes;
  std::optional<domain> nodes;  ///< of every node the leader has its block
  grid node_grid;               ///< chosen, whether or not there is a domain of nodes

  /// Returns whether a process of a policy is a whole node of several.
  [[nodiscard]] bool leaders_only(const policy& how) const {
    return nodes.has_value() && !how.single_tier();
  }
};

/// Calls `make`.  Errors: its usage_error, which then says that --node-grid is what it is about.
auto of_nodes(auto&& make) {
  try {
    return make();
  } catch (const plait::usage_error& refused) {
    throw plait::usage_error(
        fmt::format("a process for each node (--node-grid): {}", refused.what()));
  }
}

domains divided(const command& c, const measure::node_processes& processes, const options& chosen) {
  const auto cells = c.grid.cells();
  const boundary edge = c.grid.beyond();
  const auto wanted = c.grid.processes();
  const auto wanted_of_nodes = measure::parse_grid("--node-grid", c.node_grid);
  const int nodes = processes.nodes(), per_node = processes.per_node();
  if (per_node == 1 && wanted_of_nodes != grid::dimensions{})
    throw plait::usage_error("--node-grid is of use with --per-node above 1; else give --grid");
  const grid node_grid = of_nodes([&] { return grid::choose(nodes, wanted_of_nodes); });
  domains result{per_node > 1 && wanted == grid::dimensions{}
                     ? domain(cells, edge, node_grid, grid::choose(per_node))
                     : domain(cells, edge, nodes * per_node, wanted),
                 {},
                 node_grid};
  if (per_node > 1 &&
      !std::ranges::all_of(chosen.policies, [](auto& how) { return how.single_tier(); }))
    result.nodes = of_nodes([&] { return domain(cells, edge, nodes, node_grid.dims(), per_node); });
  return result;
}

/// Errors: usage_error where --slow names a worker that no policy has.  Collective.
void check_slow(const measure::node_processes& processes, const options& chosen) {
  const int cores = processes.cores_of_a_leader();
  int most = 0;
  for (const policy& how : chosen.policies)
    most = std::max(most, how.threads != 0 ? how.threads : cores);
  if (chosen.slow.factor != 1 && chosen.slow.worker >= most)
    throw plait::usage_error(
        fmt::format("--slow names worker {}, but no policy has more than {} (the first is 0)",
                    chosen.slow.worker, most == 1 ? "1 worker" : fmt::format("{} workers", most)));
}

void check_memory(plait::environment& env, const domains& whole, int per_node) {
  using plait::stencil::memory_bytes;
  // The first block is the largest.
  double bytes = memory_bytes(whole.processes.block(0), arrays_of_a_problem);
  if (whole.nodes) bytes += memory_bytes(whole.nodes->block(0), arrays_of_a_problem) / per_node;
  measure::check_memory(env, "--size", bytes);
}

// The session ------------------------------------------------------------------------------------

/// The paper's tables 2 and 3: milliseconds per iteration, each the maximum over nodes.
void print_table(const json& result) {
  const char* const quoted = result["parameters"]["outliers"] == "kelp" ? "mean" : "median";
  std::printf("%-34s %9s %9s %9s %9s\n", "policy, ms per iteration", "Total", "Wait", "Comp",
              "verified");
  for (const auto& [name, one] : result["variants"].items()) {
    const auto ms = [&, &each = one["per_iteration_s"]](const char* column) {
      return 1e3 * each[column][quoted].get<double>();
    };
    std::printf("%-34s %9.3f %9.3f %9.3f %9s\n", name.c_str(), ms("total"), ms("wait"), ms("comp"),
                one["verified"].get<bool>() ? "yes" : "NO");
  }
  const double per_step = 1e3 / result["parameters"]["steps"].get<double>();
  const int per_node = result["parameters"]["processes_per_node"].get<int>();
  const std::string processes = fmt::format("{} processes a node, a thread each", per_node);
  std::printf("of %s: bound %.3f ms, attainable %.3f ms\n",
              per_node == 1 ? "one thread a node" : processes.c_str(),
              per_step * result["bound_s"].get<double>(),
              per_step * result["attainable_s"].get<double>());
}

/// One column of the paper's table: a spread of seconds per iteration, and what the paper quotes.
json column(const std::vector<double>& totals, std::vector<double> values, int steps) {
  std::vector<double> kept;
  const std::vector<bool> out = measure::outliers(totals);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] /= steps;
    if (!out[i]) kept.push_back(values[i]);
  }
  json result = measure::to_json(measure::summarize(values));
  result["mean"] = measure::mean(kept);
  return result;
}

class session {
 public:
  session(plait::environment& env, const domains& whole, const measure::node_processes& processes,
          const options& chosen, const measure::session_options& wanted)
      : env_(env),
        whole_(whole),
        processes_(processes),
        chosen_(chosen),
        wanted_(wanted),
        problem_(whole.processes, env.rank()),
        halo_{halo_mpi(plait::native(env), problem_.u[0]),
              halo_mpi(plait::native(env), problem_.u[1], plait::stencil::face_tags)} {
    if (whole.nodes && processes.leads()) leading_.emplace(*whole.nodes, env.rank());
    const auto [nx, ny, nz] = whole.processes.cells();
    const auto cells = static_cast<double>(plait::extents<3>(nx, ny, nz).product());
    serial_ = cells * wanted.steps <= most_serial_cells;
  }

  int run() {
    measure::comparison what;
    what.application = "redblack3d";
    what.parameters = parameters();
    for (const policy& how : chosen_.policies) what.variants.push_back(compared(how));
    what.base = policy{}.name();
    what.make_reference = [this] { return make_reference(); };
    what.ideal = compared({.what = policy::kind::ideal});
    what.communication = plait::stencil::exchanges_alone(
        halo_, wanted_.steps, [this] { problem_.reset(setting::distributed); },
        plait::cut_in_tiles(problem_.parts().interior,
                            {.rows = plait::stencil::tile_rows(problem_.data().u[0]),
                             .cells = plait::stencil::cells_per_count}),
        [data = problem_.data()](const box& piece) { relax(data, colour::red, piece); });
    for (const halo_mpi& halo : halo_)
      for (const measure::sent_bytes& one : halo.sent()) what.sent_per_step.push_back(one);
    what.limited = [](const measure::measurements& found) { return found.fastest(); };
    return measure::run_comparison(
        env_, what, wanted_,
        [this](json& out, const measure::measurements& found) { add_columns(out, found); },
        print_table);
  }

 private:
  std::unique_ptr<variant> made(const policy& how) {
    if (how.what == policy::kind::hand) return make_hand(env_, chosen_.slow);
    if (how.what == policy::kind::ideal) return make_ideal(chosen_.slow);
    if (how.what == policy::kind::tasks) return make_tasks(env_, how, chosen_.slow);
    return make_multi_tier(env_, how, chosen_.slow);
  }

  measure::compared_variant compared(const policy& how) {
    const auto on = [&](problem& p) {
      return measure::compared<problem>(how.name(), made(how), p, wanted_.steps);
    };
    if (!whole_.leaders_only(how)) return on(problem_);
    if (leading_) return processes_.with_leaders(on(*leading_));
    return processes_.asleep(how.name(), [this, how]() -> std::shared_ptr<void> {
      if (how.what == policy::kind::tasks)
        return std::make_shared<plait::runtime>(
            env_, plait::runtime_options{.workers = 1, .policy = plait::progress::none});
      return std::make_shared<plait::engine>(
          env_, plait::engine_options{.policy = plait::progress::none});
    });
  }

  /// HAND gives the bits of a serial run, where that is not too long, and everybody else HAND's.
  verdict make_reference() {
    const std::unique_ptr<variant> hand = make_hand(env_, {});
    (void)measure::run_once(*hand, problem_, wanted_.steps);
    if (whole_.nodes) keep_for_leaders();
    verdict found = problem_.check_closed_form(hand->solves(), wanted_.steps);
    if (serial_) {
      problem_.keep_serial_reference(wanted_.steps);
      if (found.verified) found = problem_.check_against_reference();
    } else {
      problem_.keep_as_reference();
    }
    return found;
  }

  /// Brings every leader what its node's processes have found.  Collective.
  void keep_for_leaders() {
    plait::engine messages(env_, {.policy = plait::progress::none});
    for (const colour c : both_colours) {
      array no_block(whole_.nodes->blocks(), env_.rank());
      array& to = leading_ ? leading_->u[index_of(c)] : no_block;
      plait::mover(plait::redistribution(problem_.u[index_of(c)], to), messages).run();
    }
    if (leading_) leading_->keep_as_reference();
  }

  [[nodiscard]] json parameters() const {
    json result = to_json(whole_.processes);
    result["processes_per_node"] = processes_.per_node();
    result["outliers"] = chosen_.outliers;
    if (processes_.per_node() > 1) result["node_grid"] = whole_.node_grid.dims();
    if (chosen_.slow.factor != 1)
      result["slow"] = fmt::format("worker {} takes {:g} times as long", chosen_.slow.worker,
                                   chosen_.slow.factor);
    return result;
  }

  void add_columns(json& out, const measure::measurements& found) const {
    out["kind"] = "policies";
    out["environment"]["reference"] = serial_ ? "a serial run" : "HAND";
    for (const measure::measured_variant& one : found.variants) {
      const auto totals = one.of_runs([](const measure::kept_run& run) { return run.total_s; });
      const auto column_of = [&](const char* figure) {
        const auto of =
            one.of_runs([&](const measure::kept_run& run) { return run.figures.at(figure); });
        return column(totals, of, wanted_.steps);
      };
      json& to = out["variants"][one.name];
      to["per_iteration_s"] = {{"total", column(totals, totals, wanted_.steps)},
                               {"wait", column_of("wait_s")},
                               {"comp", column_of("compute_s")}};
      to["outliers"] = std::ranges::count(measure::outliers(totals), true);
      to["progress"] = one.words.at("progress");
    }
  }

  plait::environment& env_;
  const domains& whole_;
  const measure::node_processes& processes_;
  const options& chosen_;
  const measure::session_options& wanted_;
  problem problem_;
  std::optional<problem> leading_;  ///< a node's block, where this rank leads
  std::array<halo_mpi, 2> halo_;    ///< by the colour of the ghosts
  bool serial_ = false;
};

int run(plait::environment& env, int argc, char** argv) {
  command given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  measure::check(given.session);
  const options chosen{
      .policies = parse_policies(given.policies),
      .outliers = measure::parse_name("--outliers", given.outliers, known_outliers),
      .slow = measure::parse_slow_worker("--slow", given.slow)};
  const measure::node_processes processes(env, given.per_node);
  const domains whole = divided(given, processes, chosen);
  check_memory(env, whole, given.per_node);
  check_slow(processes, chosen);
  for (const policy& how : chosen.policies)
    check_shares(whole.leaders_only(how) ? *whole.nodes : whole.processes, how);
  return session(env, whole, processes, chosen, given.session).run();
}

}  // namespace
}  // namespace redblack3d

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "redblack3d",
                                     [&] { return redblack3d::run(env, argc, argv); });
}
