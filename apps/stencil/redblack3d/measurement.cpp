// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/halo_mpi.hpp"
#include "kernel.hpp"
#include "leaders.hpp"
#include "measure/comparison_result.hpp"
#include "measure/program.hpp"
#include "measure/result.hpp"
#include "measure/statistics.hpp"

namespace redblack3d {
namespace {

using plait::measure::json;
using plait::measure::kept_run;
using plait::measure::measured_variant;
using plait::measure::measurements;
using plait::stencil::halo_mpi;

/// A serial run of more cells, steps counted, would take longer than what it checks.
constexpr double most_serial_cells = 1 << 24;
/// Sizes the work that the transport's processor time is counted with: some 100 µs.
constexpr std::int64_t cells_per_count = std::int64_t{1} << 15;

const policy hand{};
const policy ideal{.what = policy::kind::ideal};

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
  const double steps = result["parameters"]["steps"].get<double>();
  const int per_node = result["parameters"]["processes_per_node"].get<int>();
  std::printf("of %s: bound %.3f ms, attainable %.3f ms\n",
              per_node == 1 ? "one thread a node"
                            : fmt::format("{} processes a node, a thread each", per_node).c_str(),
              1e3 * result["bound_s"].get<double>() / steps,
              1e3 * result["attainable_s"].get<double>() / steps);
}

class session {
 public:
  session(plait::environment& env, const domains& whole, const node_processes& processes,
          const options& chosen, const plait::measure::session_options& wanted)
      : env_(env),
        whole_(whole),
        processes_(processes),
        chosen_(chosen),
        wanted_(wanted),
        problem_(whole.processes, env.rank()),
        halo_{halo_mpi(plait::native(env), problem_.u[0], first_tag(colour::red)),
              halo_mpi(plait::native(env), problem_.u[1], first_tag(colour::black))} {
    if (whole.nodes) leaders_.emplace(env, processes, *whole.nodes);
    const auto [nx, ny, nz] = whole.processes.cells();
    serial_ = static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz) *
                  wanted.steps <=
              most_serial_cells;
  }

  int run() {
    plait::measure::comparison what;
    what.application = "redblack3d";
    what.parameters = parameters();
    for (const policy& how : chosen_.policies)
      what.variants.push_back(processes_.leaders_only(how)
                                  ? leaders_->compared(how, chosen_.slow, wanted_.steps)
                                  : compared(how.name(), make_variant(env_, how, chosen_.slow)));
    what.base = hand.name();
    what.make_reference = [this] { return make_reference(); };
    what.ideal = compared(ideal.name(), make_ideal(chosen_.slow));
    what.communication = communication();
    for (const halo_mpi& halo : halo_)
      for (const plait::measure::sent_bytes& one : halo.sent()) what.sent_per_step.push_back(one);
    return plait::measure::run_comparison(
        env_, what, wanted_,
        [this](json& out, const measurements& found) { add_policies(out, found); }, print_table);
  }

 private:
  plait::measure::compared_variant compared(std::string name, std::unique_ptr<variant> code) {
    return plait::measure::compared<problem>(std::move(name), std::move(code), problem_,
                                             wanted_.steps);
  }

  /// HAND gives the bits of a serial run, where that is not too long, and everybody else HAND's.
  verdict make_reference() {
    const std::unique_ptr<variant> code = make_hand(env_, {});
    (void)plait::measure::run_once(*code, problem_, wanted_.steps);
    if (leaders_) leaders_->keep_as_reference(problem_);
    verdict found = problem_.check_closed_form(code->solves(), wanted_.steps);
    if (serial_) {
      problem_.keep_serial_reference(wanted_.steps);
      if (found.verified) found = problem_.check_against_reference();
    } else {
      problem_.keep_as_reference();
    }
    return found;
  }

  /// The exchanges of HAND, beside work that touches no ghosts.
  plait::measure::communication_alone communication() {
    return plait::stencil::exchanges_alone(
        halo_, wanted_.steps, [this] { problem_.reset(setting::distributed); },
        plait::measure::in_turns(
            plait::cut_in_tiles(problem_.parts().interior,
                                {.rows = tile_rows(problem_.data()), .cells = cells_per_count}),
            [data = problem_.data()](const box& piece) { relax(data, colour::red, piece); }));
  }

  json parameters() const {
    const domain& whole = problem_.whole();
    json result{{"size", whole.cells()},
                {"boundary", boundary_names[static_cast<std::size_t>(whole.edge())]},
                {"grid", whole.grid().dims()},
                {"processes_per_node", processes_.per_node()},
                {"outliers", chosen_.kelp_means ? "kelp" : "median"}};
    if (processes_.per_node() > 1) result["node_grid"] = whole_.node_grid.dims();
    if (chosen_.slow.factor != 1)
      result["slow"] = fmt::format("worker {} takes {:g} times as long", chosen_.slow.worker,
                                   chosen_.slow.factor);
    return result;
  }

  void add_policies(json& out, const measurements& found) const {
    out["kind"] = "policies";
    out["environment"]["reference"] = serial_ ? "a serial run" : "HAND";
    const measured_variant* fastest = nullptr;
    for (const measured_variant& one : found.variants) {
      add_columns(out["variants"][one.name], one);
      if (one.name == ideal.name()) continue;
      if (fastest == nullptr || one.total_s() < fastest->total_s()) fastest = &one;
    }
    if (fastest != nullptr) out["limiter"] = limiter_of(*fastest, found);
  }

  void add_columns(json& to, const measured_variant& one) const {
    const auto runs_of = [&](const char* figure) {
      return one.of_runs([&](const kept_run& run) { return run.figures.at(figure); });
    };
    const std::vector<double> totals = one.of_runs([](const kept_run& run) { return run.total_s; });
    to["per_iteration_s"] = {{"total", column(totals, totals)},
                             {"wait", column(totals, runs_of("wait_s"))},
                             {"comp", column(totals, runs_of("compute_s"))}};
    to["outliers"] = std::ranges::count(plait::measure::outliers(totals), true);
    to["progress"] = one.words.at("progress");
  }

  /// One column of the paper's table: a spread of seconds per iteration, and what the paper quotes.
  json column(const std::vector<double>& totals, std::vector<double> values) const {
    std::vector<double> kept;
    const std::vector<bool> out = plait::measure::outliers(totals);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] /= wanted_.steps;
      if (!out[i]) kept.push_back(values[i]);
    }
    json result = plait::measure::to_json(plait::measure::summarize(values));
    result["mean"] = plait::measure::mean(kept);
    return result;
  }

  plait::environment& env_;
  const domains& whole_;
  const node_processes& processes_;
  const options& chosen_;
  const plait::measure::session_options& wanted_;
  problem problem_;
  std::optional<leaders> leaders_;  ///< where there are policies of theirs
  std::array<halo_mpi, 2> halo_;    ///< by the colour of the ghosts
  bool serial_ = false;
};

}  // namespace

int measure(plait::environment& env, const domains& whole, const node_processes& processes,
            const options& chosen, const plait::measure::session_options& wanted) {
  return session(env, whole, processes, chosen, wanted).run();
}

}  // namespace redblack3d
