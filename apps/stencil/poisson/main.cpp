// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation by conjugate gradients, as LibNBC's users solve it: ghosts exchanged and inner
// products summed in front of the computation, or under it.  [Hoefler and Lumsdaine, slide 30]  One
// MPI job runs all variants in turns and writes one result.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/device/device_bound.hpp"
#include "common/grid_options.hpp"
#include "common/halo_mpi.hpp"
#include "kernel.hpp"
#include "measure/base/rank_sum.hpp"
#include "measure/compare/program.hpp"
#include "measure/compare/variant_list.hpp"
#include "prediction.hpp"
#include "solution_check.hpp"
#include "variant.hpp"

namespace poisson {
namespace {

namespace measure = plait::measure;
using measure::json;
using plait::stencil::exchange_names;
using plait::stencil::halo_mpi;
using variant_list = measure::variant_list<problem>;

/// A serial run of more cells, iterations counted, would take longer than what it checks.
constexpr double most_serial_cells = 1 << 24;
/// Three more recurrences lose more to rounding.  [Cools et al. 2018]
constexpr double pipelined_drift = 1000;

struct command {
  plait::stencil::grid_options grid{.size = "128x128x64"};
  std::string exchange = "mover";
  std::string network_file;
  double tolerance = 1e-8;
  plait::stencil::device_words device;
  measure::program_options common = measure::usual_options("base,olap,plait,pipelined,ideal", 1000);
};

bool parse(command& c, const variant_list& all, int argc, char** argv,
           const plait::environment& env) {
  measure::command_line options("Poisson's equation in three dimensions by conjugate gradients",
                                "poisson");
  c.grid.add_to(options);
  c.grid.add_boundary_to(options);
  options.option("--tolerance", c.tolerance, "Stop when |r| <= tolerance |b|");
  measure::add_program_options(options, c.common, all.names(), "Iterations at most");
  options.option("--exchange", c.exchange,
                 "Ghosts by mover (in plain MPI: a message for each face) or by a neighbour "
                 "collective");
  options.option("--network", c.network_file,
                 "The network's parameters, as `plait measure loggp --json` writes them, for a "
                 "prediction");
  c.device.add_to(options);
  return options.parse(argc, argv, env);
}

options checked(const command& c) {
  measure::check(c.common.session);
  if (!(c.tolerance >= 1e-14 && c.tolerance < 1))
    throw plait::usage_error(
        fmt::format("--tolerance is {}; it must be at least 1e-14 and less than 1", c.tolerance));
  using plait::stencil::exchange_kind;
  return {.ghosts = measure::parse_kind<exchange_kind>("--exchange", c.exchange, exchange_names),
          .tolerance = c.tolerance,
          .runtime = c.common.tasks()};
}

void print_table(const json& result) {
  measure::print_table(result, {{"sums s", "reduction_s"},
                                {"iterations", "iterations", "{:.0f}"},
                                {"/ base", "ratio_to_base", "{:.3f}"}});
  plait::stencil::print_device(result);
  if (!result.contains("prediction")) return;
  const json& predicted = result["prediction"];
  const double base_s = predicted["base_s"].get<double>();
  std::printf("predicted for an iteration: base %.3f ms, overlapped %.3f of that, pipelined %.3f\n",
              1e3 * base_s, predicted["overlapped_s"].get<double>() / base_s,
              predicted["pipelined_s"].get<double>() / base_s);
}

class session {
 public:
  session(plait::environment& env, const command& given, const domain& whole,
          const variant_list& all, const options& chosen)
      : env_(env),
        given_(given),
        all_(all),
        chosen_(chosen),
        on_device_(chosen.device.gpu.exists()),
        problem_(whole, env.rank()),
        ghosts_of_x_(plait::native(env), problem_.x),
        ghosts_of_p_(plait::native(env), problem_.p) {
    if (!given.network_file.empty()) network_ = plait::model::read_parameters(given.network_file);
  }

  int run() {
    const measure::verdict first = solve_by_base();
    measure::comparison what;
    what.application = "poisson";
    what.parameters = plait::measure::to_json(chosen_.runtime);
    what.parameters.update(to_json(problem_.whole()));
    what.parameters.update({{"tolerance", chosen_.tolerance}, {"exchange", given_.exchange}});
    for (const std::string& name : given_.common.chosen(all_.names()))
      what.variants.push_back(compared(name));
    if (on_device_) what.parameters["device"] = plait::stencil::to_json(chosen_.device);
    what.base = on_device_ ? "device_base" : "base";
    what.make_reference = [first] { return first; };
    what.ideal = compared(on_device_ ? "device_ideal" : "ideal");
    what.communication = communication();
    // Cores of the host have nothing to compute that messages could take them from.
    if (on_device_) what.communication.work = nullptr;
    what.sent_per_step = ghosts_of_p_.sent();
    what.limited = &measure::measurements::fastest_as_base;
    // With the iterations that base has needed, not those it might have.
    measure::session_options wanted = given_.common.session;
    wanted.steps = base_.iterations;
    return measure::run_comparison(
        env_, what, wanted,
        [this](json& out, const measure::measurements& found) { add_iterations(out, found); },
        print_table);
  }

 private:
  /// The iteration and the residual at which a run stopped.
  struct stopped {
    int iterations = 0;
    double residual = 0;
  };
  static stopped stopped_by(const run_report& report) {
    return {static_cast<int>(report.figures.at("iterations")), report.figures.at("residual")};
  }

  /// Returns |b|, over all ranks or of this rank's block by itself.
  double norm_of_start(setting how) {
    problem_.reset(how);
    const double own = square(problem_.block(problem_.r), problem_.strips());
    return std::sqrt(how == setting::isolated ? own
                                              : measure::sum_over_ranks(plait::native(env_), own));
  }

  /// Makes what all others must come to.
  measure::verdict solve_by_base() {
    isolated_norm_ = norm_of_start(setting::isolated);
    norm_ = norm_of_start(setting::distributed);
    if (norm_ == 0)
      throw plait::usage_error("--size leaves nothing to solve: the right-hand side is 0");
    const int most = given_.common.session.steps;
    base_ = stopped_by(measure::run_once(*all_("base"), problem_, most));
    problem_.keep_as_reference();
    const measure::verdict found = check("base", setting::distributed, base_);
    const double work =
        base_.iterations * static_cast<double>(problem_.grid(setting::distributed).size());
    if (!found.verified || work > most_serial_cells) return found;
    serial_iterations_ = solve_serially(problem_, {chosen_.tolerance, most}).iterations;
    if (std::abs(*serial_iterations_ - base_.iterations) <= 1) return found;
    return {false, found.max_error,
            fmt::format("{} iterations, a serial run {}", base_.iterations, *serial_iterations_)};
  }

  measure::compared_variant compared(const std::string& name) {
    std::unique_ptr<variant> code = all_(name);
    const setting solves = code->solves();
    const int steps = solves == setting::isolated ? base_.iterations : given_.common.session.steps;
    measure::compared_variant result =
        measure::compared(name, std::move(code), problem_, steps,
                          {.error_bound = bound_of(solves),
                           .reset = [this, solves] { problem_.reset(solves); },
                           .check =
                               [this, name, solves](const run_report& report) {
                                 return check(name, solves, stopped_by(report));
                               }});
    result.computes_as_base = name != "pipelined";  // another algorithm, with half as much again
    const auto cells = static_cast<double>(problem_.whole().blocks().global().size());
    result.operations = operations_per_cell * cells * base_.iterations;
    return result;
  }

  /// The largest error of a cell that is no mistake.  The isolated blocks' residuals hardly grow.
  [[nodiscard]] double bound_of(setting solves) const {
    const double residual = solves == setting::isolated
                                ? 2 * isolated_norm_
                                : std::max(base_.residual, chosen_.tolerance * norm_);
    return error_bound(problem_, solves, residual, base_.iterations);
  }

  measure::verdict check(const std::string& name, setting solves, const stopped& last) {
    const bool pipelined = name == "pipelined";
    const double drift =
        drift_bound(problem_, solves, last.iterations) * (pipelined ? pipelined_drift : 1);
    measure::verdict found = examine(env_, problem_, solves, ghosts_of_x_, bound_of(solves), drift);
    const double max_error = found.max_error;
    if (std::abs(last.iterations - base_.iterations) > (pipelined ? 1 : 0))
      found = {false, 0,
               fmt::format("rank {}: {} iterations, base {}", env_.rank(), last.iterations,
                           base_.iterations)};
    else if (found.verified && solves == setting::distributed && !pipelined)
      found = problem_.check_against_reference();
    found.max_error = max_error;
    return found;
  }

  /// The exchanges and sums of base.
  measure::communication_alone communication() {
    std::vector<box> inner;
    for (const strip& s : problem_.strips())
      if (!s.rim && !s.parts[0].empty()) inner.push_back(s.parts[0]);
    auto messages = plait::stencil::exchanges_alone(
        {&ghosts_of_p_, 1}, base_.iterations, [this] { problem_.reset(setting::distributed); },
        std::move(inner),
        [this](const box& cells) {
          multiply(problem_.block(problem_.p), problem_.block(problem_.w)[cells]);
        });
    const std::shared_ptr<measure::watched_exchange> exchange =
        plait::stencil::make_exchange(plait::native(env_), problem_.p, chosen_.ghosts);
    messages.run = [this, exchange] {
      measure::stopwatch nobody_looks;
      for (int step = 0; step < base_.iterations; ++step) {
        exchange->run(nobody_looks);
        for (int i = 0; i < 2; ++i) (void)measure::sum_over_ranks(plait::native(env_), 1);
      }
    };
    return messages;
  }

  void add_iterations(json& out, const measure::measurements& found) const {
    out["environment"]["serial_iterations"] =
        serial_iterations_ ? json(*serial_iterations_) : json(nullptr);
    out["converged"] = base_.residual <= chosen_.tolerance * norm_;
    for (const measure::measured_variant& one : found.variants) {
      json& to = out["variants"][one.name];
      to["iterations"] = one.figure("iterations");
      to["residual"] = one.figure("residual") / norm_;
      to["reduction_s"] = one.figure("reduction_s");
    }
    if (on_device_) plait::stencil::add_device(out, found);
    if (!network_ || base_.iterations == 0) return;
    const domain& whole = problem_.whole();
    const double per_cell =
        found.alone().computation_s / base_.iterations / static_cast<double>(whole.block(0).size());
    out["prediction"] = predict(whole, per_cell, *network_);
  }

  plait::environment& env_;
  const command& given_;
  const variant_list& all_;
  const options& chosen_;
  std::optional<plait::model::parameters> network_;
  bool on_device_;
  problem problem_;
  halo_mpi ghosts_of_x_;
  halo_mpi ghosts_of_p_;
  double norm_ = 0;           ///< |b|
  double isolated_norm_ = 0;  ///< of the problem that this rank's block is by itself
  stopped base_;
  std::optional<std::int64_t> serial_iterations_;
};

int run(plait::environment& env, int argc, char** argv) {
  options chosen;
  const variant_list all{{"base", [&] { return make_base(env, chosen); }},
                         {"olap", [&] { return make_olap(env, chosen); }},
                         {"plait", [&] { return make_plait(env, chosen); }},
                         {"pipelined", [&] { return make_pipelined(env, chosen); }},
                         {"ideal", [&] { return make_ideal(env, chosen); }},
                         {"device_base", [&] { return make_device_base(env, chosen); }},
                         {"device_olap", [&] { return make_device_olap(env, chosen); }},
                         {"device_plait", [&] { return make_device_plait(env, chosen); }},
                         {"device_ideal", [&] { return make_device_ideal(env, chosen); }}};
  command given;
  if (!parse(given, all, argc, argv, env)) return measure::exit_verified;
  chosen = checked(given);
  const std::vector<std::string> rows = given.common.chosen(all.names());
  if (plait::stencil::are_on_device(rows)) {
    chosen.device =
        with_kernels(given.device.made(env, given.common.session.link_rate_bytes_per_s));
    plait::stencil::expect_takes(chosen.device, rows);
  }
  const domain whole = given.grid.over(env.size());
  if (chosen.device.gpu.exists()) {
    plait::stencil::expect_slabs(whole);
    if (whole.edge() == boundary::periodic)
      throw plait::usage_error(
          "--boundary periodic goes with no row on a device, which has no neighbours in x and y; "
          "leave it out");
  }
  plait::stencil::check_memory(env, whole, arrays_of_a_problem);
  return session(env, given, whole, all, chosen).run();
}

}  // namespace
}  // namespace poisson

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "poisson", [&] { return poisson::run(env, argc, argv); });
}
