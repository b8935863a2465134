// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "kernel.hpp"
#include "measure/comparison_result.hpp"
#include "measure/program.hpp"
#include "prediction.hpp"
#include "rank_sum.hpp"
#include "solution_check.hpp"

namespace poisson {
namespace {

using plait::measure::json;
using plait::measure::measured_variant;
using plait::measure::measurements;
using plait::measure::verdict;

/// A serial run of more cells, iterations counted, would take longer than what it checks.
constexpr double most_serial_cells = 1 << 24;
/// Slide 30 goes to 96 processors.
constexpr int most_predicted_ranks = 96;
/// Three more recurrences lose more to rounding.  [Cools et al. 2018]
constexpr double pipelined_drift = 1000;

void print_table(const json& result) {
  std::printf("%-10s %10s %10s %10s %10s %11s %9s %9s\n", "variant", "total s", "compute",
              "exposed", "sums", "iterations", "/ base", "verified");
  for (const auto& [name, one] : result["variants"].items()) {
    const json& ratio = one["ratio_to_base"];
    std::printf("%-10s %10.4f %10.4f %10.4f %10.4f %11.0f %9s %9s\n", name.c_str(),
                one["total_s"]["median"].get<double>(), one["compute_s"].get<double>(),
                one["exposed_s"].get<double>(), one["reduction_s"].get<double>(),
                one["iterations"].get<double>(),
                ratio.is_null() ? "" : fmt::format("{:.3f}", ratio.get<double>()).c_str(),
                one["verified"].get<bool>() ? "yes" : "NO");
  }
  std::printf("bound %.4f s, attainable %.4f s\n", result["bound_s"].get<double>(),
              result["attainable_s"].get<double>());
  if (!result.contains("prediction")) return;
  const json& predicted = result["prediction"];
  const double base_s = predicted["base_s"].get<double>();
  std::printf("predicted for an iteration: base %.3f ms, overlapped %.3f of that, pipelined %.3f\n",
              1e3 * base_s, predicted["overlapped_s"].get<double>() / base_s,
              predicted["pipelined_s"].get<double>() / base_s);
}

class session {
 public:
  session(plait::environment& env, const domain& whole, const session_choice& chosen,
          const plait::measure::session_options& wanted)
      : env_(env),
        chosen_(chosen),
        wanted_(wanted),
        problem_(whole, env.rank()),
        ghosts_of_x_(plait::native(env), problem_.x),
        ghosts_of_p_(plait::native(env), problem_.p),
        exchange_(plait::native(env), problem_, problem_.p, chosen.how.ghosts) {}

  int run() {
    const verdict first = solve_by_base();
    plait::measure::comparison what;
    what.application = "poisson";
    what.parameters = parameters();
    for (const std::string& name : chosen_.variants) what.variants.push_back(compared(name));
    what.base = "base";
    what.make_reference = [first] { return first; };
    what.ideal = compared("ideal");
    what.communication = communication();
    what.sent_per_step = ghosts_of_p_.sent();
    // With the iterations that base has needed, not those it might have.
    plait::measure::session_options wanted = wanted_;
    wanted.steps = base_.iterations;
    return plait::measure::run_comparison(
        env_, what, wanted,
        [this](json& out, const measurements& found) { add_iterations(out, found); }, print_table);
  }

 private:
  /// Where base stopped.
  struct stopped {
    int iterations = 0;
    double residual = 0;
  };
  static stopped stopped_by(const run_report& report) {
    return {static_cast<int>(report.figures.at("iterations")), report.figures.at("residual")};
  }

  /// Makes what all others must come to.
  verdict solve_by_base() {
    const std::unique_ptr<variant> code = make_base(env_, chosen_.how);
    problem_.reset(setting::distributed);
    bb_ = norm_of_start(env_, problem_);
    if (bb_ == 0)
      throw plait::usage_error("--size leaves nothing to solve: the right-hand side is 0");
    base_ = stopped_by(plait::measure::run_once(*code, problem_, wanted_.steps));
    problem_.keep_as_reference();
    verdict found = check("base", setting::distributed, base_);
    if (found.verified) found.complaint = differs_from_serial();
    found.verified = found.complaint.empty();
    return found;
  }

  /// Empty, or what is wrong.
  std::string differs_from_serial() {
    const auto& n = problem_.whole().cells();
    const double cells = static_cast<double>(n[0]) * static_cast<double>(n[1]) *
                         static_cast<double>(n[2]) * base_.iterations;
    if (cells > most_serial_cells) return {};
    const serial_solution serial = solve_serially(problem_, {chosen_.how.tolerance, wanted_.steps});
    serial_iterations_ = serial.iterations;
    if (std::abs(serial.iterations - base_.iterations) > 1)
      return fmt::format("{} iterations, a serial run {}", base_.iterations, serial.iterations);
    return {};
  }

  plait::measure::compared_variant compared(const std::string& name) {
    std::unique_ptr<variant> code = make_variant(name, env_, chosen_.how);
    const setting solves = code->solves();
    const int steps = solves == setting::isolated ? base_.iterations : wanted_.steps;
    plait::measure::compared_variant result =
        plait::measure::compared(name, std::move(code), problem_, steps,
                                 {.error_bound = bound_of(solves),
                                  .reset = [this, solves] { problem_.reset(solves); },
                                  .check =
                                      [this, name, solves](const run_report& report) {
                                        return check(name, solves, stopped_by(report));
                                      }});
    result.computes_as_base = name != "pipelined";  // another algorithm, with half as much again
    return result;
  }

  /// The largest error of a cell that is no mistake.  The isolated blocks' residuals hardly grow.
  [[nodiscard]] double bound_of(setting solves) const {
    if (solves == setting::isolated)
      return error_bound(problem_, solves, 2 * isolated_norm(), base_.iterations);
    return error_bound(problem_, solves,
                       std::max(base_.residual, chosen_.how.tolerance * std::sqrt(bb_)),
                       base_.iterations);
  }

  [[nodiscard]] double isolated_norm() const {
    double bb = 0;
    for_each_cell(problem_.cells(), [&](const plait::point<3>& cell) {
      const double b = problem_.right_hand_side(setting::isolated, cell);
      bb += b * b;
    });
    return std::sqrt(bb);
  }

  verdict check(const std::string& name, setting solves, const stopped& last) {
    const quality found = examine(env_, problem_, solves, ghosts_of_x_);
    verdict result;
    result.max_error = found.max_error;
    const bool pipelined = name == "pipelined";
    const double bound = bound_of(solves);
    const double drift =
        drift_bound(problem_, solves, last.iterations) * (pipelined ? pipelined_drift : 1);
    if (std::abs(last.iterations - base_.iterations) > (pipelined ? 1 : 0))
      result.complaint = fmt::format("rank {}: {} iterations, base {}", env_.rank(),
                                     last.iterations, base_.iterations);
    else if (!(found.drift <= drift))
      result.complaint = fmt::format("rank {}: b - A x and r are {:.3g} apart, more than {:.3g}",
                                     env_.rank(), found.drift, drift);
    else if (!(found.max_error <= bound))
      result.complaint = fmt::format("rank {}: a cell is {:.3g} off, more than {:.3g}", env_.rank(),
                                     found.max_error, bound);
    else if (solves == setting::distributed && !pipelined)
      result.complaint = problem_.differs_from_reference();
    result.verified = result.complaint.empty();
    return result;
  }

  /// The exchanges and sums of base.
  plait::measure::communication_alone communication() {
    plait::measure::communication_alone messages;
    messages.prepare = [this] { problem_.reset(setting::distributed); };
    messages.run = [this] {
      plait::measure::stopwatch nobody_looks;
      for (int step = 0; step < base_.iterations; ++step) {
        exchange_.run(nobody_looks);
        for (int i = 0; i < 2; ++i) (void)sum_over_ranks(plait::native(env_), 1);
      }
    };
    messages.exchanges = base_.iterations;
    messages.exchange_sparsely = [this](std::chrono::microseconds interval) {
      ghosts_of_p_.exchange_sparsely(interval);
    };
    // What is counted meanwhile must not touch ghosts.
    std::vector<box> inner;
    for (const strip& s : problem_.strips())
      if (!s.rim && !s.parts[0].empty()) inner.push_back(s.parts[0]);
    messages.work = plait::measure::in_turns(std::move(inner), [this](const box& cells) {
      multiply(problem_.block(problem_.p), problem_.block(problem_.w)[cells]);
    });
    return messages;
  }

  json parameters() const {
    const domain& whole = problem_.whole();
    json result = to_json(chosen_.how.tasks);
    result.update({{"size", whole.cells()},
                   {"boundary", boundary_names[static_cast<std::size_t>(whole.edge())]},
                   {"tolerance", chosen_.how.tolerance},
                   {"grid", whole.blocks().grid()->dims()},
                   {"exchange", exchange_names[static_cast<std::size_t>(chosen_.how.ghosts)]}});
    return result;
  }

  void add_iterations(json& out, const measurements& found) const {
    out["environment"]["serial_iterations"] =
        serial_iterations_ >= 0 ? json(serial_iterations_) : json(nullptr);
    const double norm = std::sqrt(bb_);
    out["converged"] = base_.residual <= chosen_.how.tolerance * norm;
    const measured_variant* fastest = nullptr;
    for (const measured_variant& one : found.variants) {
      json& to = out["variants"][one.name];
      to["iterations"] = one.figure("iterations");
      to["residual"] = one.figure("residual") / norm;
      to["reduction_s"] = one.figure("reduction_s");
      if (one.name == "ideal" || !found.computes_as_base(one)) continue;
      if (fastest == nullptr || one.total_s() < fastest->total_s()) fastest = &one;
    }
    if (fastest != nullptr) out["limiter"] = limiter_of(*fastest, found);
    if (chosen_.network && base_.iterations > 0) out["prediction"] = prediction(found);
  }

  json prediction(const measurements& found) const {
    const domain& whole = problem_.whole();
    const double per_cell =
        found.alone().computation_s / base_.iterations / static_cast<double>(whole.block(0).size());
    const auto one = [](const predicted_iteration& p) {
      return json{{"ranks", p.ranks},
                  {"computation_s", p.computation_s},
                  {"exchange_s", p.exchange_s},
                  {"exchange_processor_s", p.exchange_processor_s},
                  {"reduction_s", p.reduction_s},
                  {"base_s", p.base_s},
                  {"overlapped_s", p.overlapped_s},
                  {"pipelined_s", p.pipelined_s}};
    };
    json result = one(predict(whole, env_.size(), per_cell, *chosen_.network));
    result["seconds_per_cell"] = per_cell;
    result["over_ranks"] = json::array();
    for (const predicted_iteration& p :
         predict_over_ranks(whole, most_predicted_ranks, per_cell, *chosen_.network))
      result["over_ranks"].push_back(one(p));
    return result;
  }

  plait::environment& env_;
  const session_choice& chosen_;
  const plait::measure::session_options& wanted_;
  problem problem_;
  plait::stencil::halo_mpi ghosts_of_x_;
  plait::stencil::halo_mpi ghosts_of_p_;
  exchange exchange_;
  double bb_ = 0;
  stopped base_;
  std::int64_t serial_iterations_ = -1;
};

}  // namespace

int measure(plait::environment& env, const domain& whole, const session_choice& chosen,
            const plait::measure::session_options& wanted) {
  return session(env, whole, chosen, wanted).run();
}

}  // namespace poisson
