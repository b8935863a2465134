// SPDX-License-Identifier: BSD-3-Clause
// RedBlack3D: Poisson's equation by Gauss-Seidel with red-black ordering, under the policies of the
// multi-tier KeLP paper and two of plait's own.  One MPI job runs all of them in turns and writes
// one result.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/cache_tiles.hpp"
#include "common/grid_options.hpp"
#include "common/halo_mpi.hpp"
#include "common/message_parts.hpp"
#include "common/nodes.hpp"
#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"
#include "measure/compare/program.hpp"
#include "measure/load/node_processes.hpp"
#include "measure/load/service_core.hpp"
#include "shares.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

namespace measure = plait::measure;
using measure::json;
using plait::stencil::halo_mpi;

constexpr std::array<std::string_view, 2> known_outliers{"median", "kelp"};
/// A serial run of more cells, steps counted, would take longer than what it checks.
constexpr double most_serial_cells = 1 << 24;

// The command line -------------------------------------------------------------------------------

struct command {
  plait::stencil::grid_options grid;
  plait::stencil::node_options nodes;
  std::string policies = "HAND,MT(1)+!OLAP,MT(1)+OLAP,MT(1)+OLAP+XTRA,TASK,IDEAL";
  std::string outliers = "median";
  std::string slow = "0:1";
  std::int64_t message_cells = plait::stencil::unasked_cells;
  measure::session_options session;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  measure::command_line options(
      "Poisson's equation in three dimensions by Gauss-Seidel with red-black ordering",
      "redblack3d");
  c.grid.add_to(options, plait::stencil::grid_help_of_nodes);
  c.nodes.add_to(options,
                 "HAND, IDEAL and MT(1) without XTRA and DYN run with all of them, other policies "
                 "with one a node");
  c.grid.add_boundary_to(options);
  options.option("--policies", c.policies,
                 "HAND, MT(k)[+!OLAP|+OLAP[+XTRA]][+IRR(m:n)|+DYN], TASK[+MT(k)][+XTRA], IDEAL, "
                 "with commas between");
  options.renamed("--policy", "--policies");
  measure::add_lengths(options, c.session, "Gauss-Seidel steps of a run", "policy");
  options.option("--outliers", c.outliers,
                 "What the table quotes: median, or kelp, the mean without runs that took at least "
                 "25 % longer than the others' mean");
  options.option("--message-cells", c.message_cells,
                 "Of MT(k) and TASK: greatest number of cells in a message between nodes; 0: a "
                 "face is one message, as HAND's");
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
  std::int64_t message_cells;
};

using domains = plait::stencil::divided_cells<domain>;

/// Returns whether a process of a policy is a whole node of several.
bool leaders_only(const domains& whole, const policy& how) {
  return whole.nodes.has_value() && !how.single_tier();
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

// The session ------------------------------------------------------------------------------------

/// The paper's tables 2 and 3: milliseconds per iteration, each the maximum over nodes.
void print_table(const json& result) {
  const char* const quoted = result["parameters"]["outliers"] == "kelp" ? "mean" : "median";
  std::printf("%-34s %9s %9s %9s %9s %9s\n", "policy, ms per iteration", "Total", "Wait", "Comp",
              "Gflop/s", "verified");
  for (const auto& [name, one] : result["variants"].items()) {
    const auto ms = [&, &each = one["per_iteration_s"]](const char* column) {
      return 1e3 * each[column][quoted].get<double>();
    };
    std::printf("%-34s %9.3f %9.3f %9.3f %9.2f %9s\n", name.c_str(), ms("total"), ms("wait"),
                ms("comp"), one["gflops"].get<double>(),
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

/// The exchanges of a step, by the colour of the ghosts.
struct halos {
  halos(MPI_Comm communicator, problem& p)
      : of{halo_mpi(communicator, p.u[0]),
           halo_mpi(communicator, p.u[1], plait::stencil::face_tags)} {}
  std::array<halo_mpi, 2> of;
};

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
        halo_(plait::native(env), problem_) {
    if (whole.nodes && processes.leads()) {
      leading_.emplace(*whole.nodes, env.rank());
      leading_halo_.emplace(plait::native(env), *leading_);
    }
    const auto [nx, ny, nz] = whole.processes.cells();
    cell_steps_ = static_cast<double>(plait::extents<3>(nx, ny, nz).product()) * wanted.steps;
    serial_ = cell_steps_ <= most_serial_cells;
  }

  int run() {
    measure::comparison what;
    what.application = "redblack3d";
    what.parameters = parameters();
    for (const policy& how : chosen_.policies) what.variants.push_back(compared(how));
    measure::set_operations(what, operations_per_cell * cell_steps_);
    what.base = policy{}.name();
    what.make_reference = [this] { return make_reference(); };
    what.ideal = compared({.what = policy::kind::ideal});
    what.communication = messages_of(halo_.of, problem_);
    what.sent_per_step = sent_by(halo_.of);
    if (workers_row()) add_leaders(what);
    what.limited = [](const measure::measurements& found) { return found.fastest(); };
    return measure::run_comparison(
        env_, what, wanted_,
        [this](json& out, const measure::measurements& found) {
          add_columns(out, found);
          add_service_core(out, found);
          if (const measure::measured_variant* one = found.fastest())
            measure::add_largest_part(out, one->name);
        },
        [](const json& result) {
          print_table(result);
          measure::print_service_core(result);
        });
  }

 private:
  measure::communication_alone messages_of(std::span<halo_mpi> exchanges, problem& p) const {
    return plait::stencil::exchanges_alone(
        exchanges, wanted_.steps, [&p] { p.reset(setting::distributed); },
        plait::cut_in_tiles(p.parts().interior, {.rows = plait::stencil::tile_rows(p.data().u[0]),
                                                 .cells = plait::stencil::cells_per_count}),
        [data = p.data()](const box& piece) { relax(data, colour::red, piece); });
  }

  static std::vector<measure::sent_bytes> sent_by(std::span<const halo_mpi> exchanges) {
    std::vector<measure::sent_bytes> all;
    for (const halo_mpi& halo : exchanges)
      for (const measure::sent_bytes& one : halo.sent()) all.push_back(one);
    return all;
  }

  /// Returns the policy of tasks that has a worker for each core of a node, if there is one among
  /// those with one process of each node: what it takes is what the model of a service core knows.
  [[nodiscard]] const policy* workers_row() const {
    if (!whole_.nodes) return nullptr;
    const auto found = std::ranges::find_if(chosen_.policies, [&](const policy& how) {
      return how.what == policy::kind::tasks && !how.proxy && how.threads == processes_.per_node();
    });
    return found == chosen_.policies.end() ? nullptr : &*found;
  }

  /// Computation alone of TASK, so many workers.
  measure::compared_variant leaders_ideal(const char* name, int workers) {
    if (!leading_) return processes_.asleep_beside_tasks(name);
    const policy how{.what = policy::kind::tasks, .threads = workers};
    measure::compared_variant one = processes_.with_leaders(measure::compared<problem>(
        name, make_tasks(env_, how, chosen_.slow, chosen_.message_cells, setting::isolated),
        *leading_, wanted_.steps));
    one.computes_as_base = false;
    return one;
  }

  void add_leaders(measure::comparison& what) {
    what.own_ideals.push_back(leaders_ideal(ideals_.workers_ideal.c_str(), processes_.per_node()));
    what.own_ideals.push_back(
        leaders_ideal(ideals_.service_ideal.c_str(), processes_.per_node() - 1));
    for (std::size_t i = 0; i < chosen_.policies.size(); ++i)
      if (chosen_.policies[i].what == policy::kind::tasks)
        what.variants[i].own_ideal = ideals_.workers_ideal;
    what.leaders.emplace();
    what.leaders->takes_part = false;
    if (leading_) {
      what.leaders = messages_of(leading_halo_->of, *leading_);
      what.leaders_sent_per_step = sent_by(leading_halo_->of);
    }
    what.leaders->exchanges = what.communication.exchanges;
  }

  void add_service_core(json& out, const measure::measurements& found) const {
    const policy* how = workers_row();
    if (how == nullptr) return;
    measure::step_variants by = ideals_;
    by.workers = how->name();
    if (const auto step = measure::step_of(found, processes_.per_node(), wanted_.steps, by))
      out["service_core"] = measure::service_core_of(*step);
  }

  std::unique_ptr<variant> made(const policy& how) {
    if (how.what == policy::kind::hand) return make_hand(env_, chosen_.slow);
    if (how.what == policy::kind::ideal) return make_ideal(chosen_.slow);
    if (how.what == policy::kind::tasks)
      return make_tasks(env_, how, chosen_.slow, chosen_.message_cells);
    return make_multi_tier(env_, how, chosen_.slow, chosen_.message_cells);
  }

  measure::compared_variant compared(const policy& how) {
    measure::compared_variant one = on_its_processes(how);
    one.has_phases = how.what == policy::kind::hand || how.what == policy::kind::multi_tier;
    return one;
  }

  measure::compared_variant on_its_processes(const policy& how) {
    const auto on = [&](problem& p) {
      return measure::compared<problem>(how.name(), made(how), p, wanted_.steps);
    };
    if (!leaders_only(whole_, how)) return on(problem_);
    if (leading_) return processes_.with_leaders(on(*leading_));
    if (how.what == policy::kind::tasks) return processes_.asleep_beside_tasks(how.name());
    return processes_.asleep(how.name(), [this] {
      return std::make_shared<plait::engine>(
          env_, plait::engine_options{.policy = plait::progress::none});
    });
  }

  /// Returns what the time of a policy is that goes phase by phase; null of others.
  json rest(const measure::measured_variant& one, const measure::measurements& found) const {
    constexpr int phases_of_a_step = 2;
    const bool of_leaders = one.leads && !found.leaders.communication_s.empty();
    const measure::measured_messages& messages = of_leaders ? found.leaders : found.messages;
    const double exchange_s =
        measure::median(messages.communication_s) / (phases_of_a_step * wanted_.steps);
    std::vector<measure::rest_of_time> runs;
    for (const measure::kept_run& run : one.runs)
      if (!run.phases.empty())
        runs.push_back(measure::rest_of(run.phases, exchange_s, phases_of_a_step));
    return measure::to_json(runs, one.of_runs([](auto& run) { return run.total_s; }),
                            wanted_.steps);
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
    for (const colour c : both_colours)
      plait::stencil::bring_to_leaders(env_, problem_.u[index_of(c)], whole_.nodes->blocks(),
                                       leading_ ? &leading_->u[index_of(c)] : nullptr);
    if (leading_) leading_->keep_as_reference();
  }

  [[nodiscard]] json parameters() const {
    json result = to_json(whole_.processes);
    result["processes_per_node"] = processes_.per_node();
    if (whole_.node_cells) result["cells_per_node"] = *whole_.node_cells;
    result["outliers"] = chosen_.outliers;
    result["message_cells"] = chosen_.message_cells;
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
      to["rest"] = rest(one, found);
      if (one.words.contains("binding")) to["binding"] = one.words.at("binding");
    }
  }

  plait::environment& env_;
  const domains& whole_;
  const measure::node_processes& processes_;
  const options& chosen_;
  const measure::session_options& wanted_;
  problem problem_;
  std::optional<problem> leading_;  ///< a node's block, where this rank leads
  halos halo_;
  std::optional<halos> leading_halo_;
  measure::step_variants ideals_;
  double cell_steps_ = 0;  ///< cells of the grid, as often as they are computed
  bool serial_ = false;
};

int run(plait::environment& env, int argc, char** argv) {
  command given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  measure::check(given.session);
  const options chosen{
      .policies = parse_policies(given.policies),
      .outliers = measure::parse_name("--outliers", given.outliers, known_outliers),
      .slow = measure::parse_slow_worker("--slow", given.slow),
      .message_cells = given.message_cells};
  if (chosen.message_cells < 0)
    throw plait::usage_error(fmt::format(
        "--message-cells {}: a number of cells, or 0 for whole faces", chosen.message_cells));
  const measure::node_processes processes(env, given.nodes.per_node);
  const bool for_leaders =
      !std::ranges::all_of(chosen.policies, [](auto& how) { return how.single_tier(); });
  const domains whole =
      plait::stencil::divide<domain>(given.grid, given.nodes, processes, for_leaders);
  plait::stencil::check_memory(env, whole, processes.per_node(), arrays_of_a_problem);
  check_slow(processes, chosen);
  for (const policy& how : chosen.policies)
    check_shares(leaders_only(whole, how) ? *whole.nodes : whole.processes, how);
  return session(env, whole, processes, chosen, given.session).run();
}

}  // namespace
}  // namespace redblack3d

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "redblack3d",
                                     [&] { return redblack3d::run(env, argc, argv); });
}
