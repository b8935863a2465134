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
#include "measure/comparison.hpp"
#include "measure/comparison_result.hpp"
#include "measure/result.hpp"
#include "measure/statistics.hpp"
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

  plait::measure::outcome run() {
    const verdict first = solve_by_base();
    const plait::measure::comparison what = comparison(first);
    const measurements found = plait::measure::measure(env_, what, of_base());
    return {found.verified, env_.rank() == 0 ? result(what, found) : json()};
  }

 private:
  /// Where base stopped.
  struct stopped {
    int iterations = 0;
    double residual = 0;
  };

  /// What was asked for, with the iterations that base has needed, not those it might have.
  [[nodiscard]] plait::measure::session_options of_base() const {
    plait::measure::session_options result = wanted_;
    result.steps = base_.iterations;
    return result;
  }

  // What is compared ----------------------------------------------------------------------------

  /// What all others must come to.
  verdict solve_by_base() {
    const std::unique_ptr<variant> code = make_base(env_, chosen_.how);
    problem_.reset(setting::distributed);
    bb_ = norm_of_start(env_, problem_);
    if (bb_ == 0)
      throw plait::usage_error("--size leaves nothing to solve: the right-hand side is 0");
    code->prepare(problem_);
    code->run(problem_, wanted_.steps, {});
    const run_report report = code->finish(problem_);
    base_ = {static_cast<int>(report.figures.at("iterations")), report.figures.at("residual")};
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

  plait::measure::comparison comparison(const verdict& of_base) {
    plait::measure::comparison what;
    what.application = "poisson";
    what.parameters = parameters();
    for (const std::string& name : chosen_.variants) what.variants.push_back(compared(name));
    what.base = "base";
    what.make_reference = [of_base] { return of_base; };
    what.ideal = compared("ideal");
    what.communication = communication();
    for (const plait::stencil::face& f : ghosts_of_p_.faces())
      what.sent_per_step.push_back({f.peer, ghosts_of_p_.bytes_of(f)});
    return what;
  }

  plait::measure::compared_variant compared(const std::string& name) {
    const std::shared_ptr<variant> code = make_variant(name, env_, chosen_.how);
    const auto last = std::make_shared<stopped>();
    const setting solves = code->solves();
    plait::measure::compared_variant result;
    result.name = name;
    result.communicates = solves == setting::distributed;
    result.computes_as_base = name != "pipelined";  // another algorithm, with half as much again
    result.error_bound = bound_of(solves);
    result.prepare = [this, code, solves] {
      problem_.reset(solves);
      code->prepare(problem_);
    };
    const int steps = solves == setting::isolated ? base_.iterations : wanted_.steps;
    result.run = [this, code, steps](const step_range& recorded) {
      code->run(problem_, steps, recorded);
    };
    result.finish = [this, code, last] {
      run_report report = code->finish(problem_);
      *last = {static_cast<int>(report.figures.at("iterations")), report.figures.at("residual")};
      return report;
    };
    result.check = [this, name, solves, last] { return check(name, solves, *last); };
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
    if (!inner.empty())
      messages.work = [this, inner, next = std::size_t{0}]() mutable {
        multiply(problem_.block(problem_.p), problem_.block(problem_.w)[inner[next]]);
        next = (next + 1) % inner.size();
      };
    return messages;
  }

  json parameters() const {
    const domain& whole = problem_.whole();
    return {{"size", whole.cells()},
            {"boundary", boundary_names[static_cast<std::size_t>(whole.edge())]},
            {"steps", base_.iterations},
            {"tolerance", chosen_.how.tolerance},
            {"grid", whole.blocks().grid()->dims()},
            {"exchange", exchange_names[static_cast<std::size_t>(chosen_.how.ghosts)]},
            {"repeat", wanted_.repeat},
            {"workers", chosen_.how.workers},
            {"policy", plait::to_string(chosen_.how.policy)},
            {"variants", chosen_.variants}};
  }

  // What comes out ------------------------------------------------------------------------------

  json result(const plait::measure::comparison& what, const measurements& found) const {
    json out = plait::measure::result_of(env_, what, of_base(), found);
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
      if (one.has_proxy()) to["longest_unwatched_s"] = one.figure("longest_unwatched_s");
      if (const auto policy = one.words.find("policy_chosen"); policy != one.words.end()) {
        out["environment"]["policy_chosen"] = policy->second;
        out["environment"]["policy_reason"] = one.words.at("policy_reason");
      }
      if (one.name == "ideal" || !found.computes_as_base(one)) continue;
      if (fastest == nullptr || one.total_s() < fastest->total_s()) fastest = &one;
    }
    if (fastest != nullptr) out["limiter"] = limiter_of(*fastest, found);
    if (chosen_.network && base_.iterations > 0) out["prediction"] = prediction(found);
    return out;
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

plait::measure::outcome measure(plait::environment& env, const domain& whole,
                                const session_choice& chosen,
                                const plait::measure::session_options& wanted) {
  return session(env, whole, chosen, wanted).run();
}

}  // namespace poisson
