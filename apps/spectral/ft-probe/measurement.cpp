// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <plait/plait.hpp>
#include <plait/region.h>

#include "algorithms.hpp"
#include "charts.hpp"
#include "common/carrier.hpp"
#include "figures.hpp"
#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"
#include "measure/compare/turns.hpp"
#include "measure/probe/stacked_bars.hpp"
#include "modelled.hpp"
#include "problem.hpp"

namespace ft_probe {
namespace {

using plait::measure::json;
using plait::measure::turn;

class session {
 public:
  session(plait::environment& env, const request& wanted,
          const plait::measure::session_options& asked)
      : env_(env),
        wanted_(wanted),
        asked_(asked),
        rows_(blocks(wanted), env.rank(), wanted.planning) {}

  plait::measure::outcome run() {
    find_scales();
    list_cells();
    plait::measure::take_turns(turns(), {.repeat = asked_.repeat,
                                         .progress = asked_.progress && env_.rank() == 0,
                                         .warm_up = true});
    const bool verified = std::ranges::all_of(cells_, &cell::verified);
    return {verified, env_.rank() == 0 ? result() : json()};
  }

 private:
  static std::vector<row_blocks> blocks(const request& wanted) {
    std::vector<row_blocks> all;
    for (const named_shape& one : wanted.shapes) all.push_back(one.blocks);
    return all;
  }
  [[nodiscard]] const row_blocks& shape_of(const circumstance& when) const {
    return wanted_.shapes[when.shape].blocks;
  }

  // --- measurements ------------------------------------------------------------------------------

  /// Finds the scales at which Exchange communicates `ratio` times as long as it computes.
  void find_scales() {
    circumstances_ = wanted_.circumstances;
    for (std::size_t shape = 0; !wanted_.ratios.empty() && shape < wanted_.shapes.size(); ++shape) {
      cell silent = exchange_at(shape, 0);
      cell once = exchange_at(shape, 1);
      cell often = exchange_at(shape, repeated);
      for (int round = plait::measure::warm_up; round < 3; ++round)
        for (cell* one : {&silent, &once, &often}) {
          if (round == 0) one->times = {};
          run_once(*one);
        }
      const double once_s = once.times.median_s(local_computation);
      const double further_s = (often.times.median_s(local_computation) - once_s) / (repeated - 1);
      for (const double ratio : wanted_.ratios)
        circumstances_.push_back(
            {shape, scale_near(shape, silent.total_s() / ratio, once_s, further_s), ratio});
    }
  }

  /// Returns the scale at which a rank computes so long.  `further_s`, the difference of two short
  /// times, may be wrong by a factor of two, so it is measured anew at the scale that it gives.
  [[nodiscard]] double scale_near(std::size_t shape, double wanted_s, double once_s,
                                  double further_s) {
    double scale = scale_that_takes(wanted_s, once_s, further_s);
    for (int turn = 0; turn < corrections && scale > 1; ++turn) {
      cell there = exchange_at(shape, scale);
      for (int run = 0; run < 3; ++run) run_once(there);
      further_s = std::max((there.times.median_s(local_computation) - once_s) / (scale - 1),
                           once_s / 100);  // whatever the noise
      scale = scale_that_takes(wanted_s, once_s, further_s);
    }
    return scale;
  }

  [[nodiscard]] cell exchange_at(std::size_t shape, double scale) const {
    const circumstance when{shape, scale, 0};
    return {.way = wanted_.ways.front(),
            .which = {"exchange", false, 0},
            .when = when,
            .shape = {},
            .circumstance_name = name_of(when),
            .work = workload_of(shape_of(when).length(), scale)};
  }

  /// Repetitions of a row's transform find it in the cache: each takes less than the first one.
  static constexpr double repeated = 5;
  static constexpr int corrections = 2;
  [[nodiscard]] static double scale_that_takes(double wanted_s, double once_s, double further_s) {
    if (wanted_s <= once_s) return wanted_s / once_s;
    return 1 + (wanted_s - once_s) / further_s;
  }

  void list_cells() {
    std::vector<std::pair<circumstance, bool>> shown;
    for (const circumstance& one : circumstances_) shown.emplace_back(one, true);
    // Section 7.5 needs each shape without computation and with all of it.
    for (std::size_t shape = 0; shape < wanted_.shapes.size(); ++shape)
      for (const double scale : {0.0, 1.0})
        if (std::ranges::none_of(circumstances_, [&](const circumstance& one) {
              return one.shape == shape && one.scale == scale;
            }))
          shown.emplace_back(circumstance{shape, scale, 0}, false);
    for (const auto& [when, is_shown] : shown)
      for (const std::string& way : wanted_.ways)
        for (const point& which : wanted_.points)
          if (is_shown || way != "none")
            cells_.push_back({.way = way,
                              .which = which,
                              .when = when,
                              .shape = wanted_.shapes[when.shape].label,
                              .circumstance_name = name_of(when),
                              .work = workload_of(shape_of(when).length(), when.scale),
                              .shown = is_shown});
  }

  std::vector<turn> turns() {
    std::vector<turn> all;
    for (cell& one : cells_)
      all.push_back({one.name() + ", " + one.circumstance_name, [this, &one](int round) {
                       run_once(one);
                       if (round == plait::measure::warm_up) one.times = {};
                     }});
    for (const cell& one : cells_)
      if (one.travels() && one.when.scale == 0)
        all.push_back({one.name() + ", flood", [this, &one](int round) {
                         const double found = flood_once(one);
                         if (round != plait::measure::warm_up)
                           floods_[{one.name(), one.when.shape}].push_back(found);
                       }});
    return all;
  }

  [[nodiscard]] std::string name_of(const circumstance& when) const {
    const std::string& shape = wanted_.shapes[when.shape].label;
    if (when.ratio > 0) return fmt::format("{}, ratio {:g}", shape, when.ratio);
    return fmt::format("{}, scale {:.4g}", shape, when.scale);
  }

  // --- runs --------------------------------------------------------------------------------------

  void run_once(cell& one) {
    rows_.reset(shape_of(one.when), one.work);
    {
      const std::unique_ptr<carrier> by = carrier_of(one);
      env_.barrier();
      const plait::measure::part_watch spent = [&] {
        const plait_region region(one.way.c_str());
        return run_algorithm(one.which, rows_, *by);
      }();
      plait::measure::add_run(env_, one.times, spent.total_s(), spent.parts_s());
      one.laps = spent.few_laps();
    }
    check(one);
  }

  std::unique_ptr<carrier> carrier_of(const cell& one) {
    std::unique_ptr<carrier> by =
        spectral::make_carrier(one.way, {env_, rows_, wanted_.policy, wanted_.windows});
    if (by->window()) windows_ = by->window();
    return by;
  }

  double flood_once(const cell& one) {
    rows_.reset(shape_of(one.when), one.work);
    const std::unique_ptr<carrier> by = carrier_of(one);
    env_.barrier();
    return flood(env_, one.which, rows_, *by);
  }

  void check(cell& one) {
    const finding found = rows_.check(one.way != "none");
    one.max_error = std::max(one.max_error, plait::measure::maximum(env_, found.max_error));
    one.error_bound = found.bound;
    if (!found.complaint.empty() && one.verified)
      std::fprintf(stderr, "ft-probe: %s, %s: %s\n", one.name().c_str(),
                   one.circumstance_name.c_str(), found.complaint.c_str());
    one.verified = plait::measure::all_of(env_, found.complaint.empty()) && one.verified;
  }

  // --- the result --------------------------------------------------------------------------------

  [[nodiscard]] json result() {
    std::vector<cell> shown;
    for (cell& one : cells_) {
      if (one.travels()) add_model(one);
      if (one.shown) shown.push_back(one);
    }
    json out = plait::measure::probe_result(env_, "ft-probe", parameters(), figures_of(shown),
                                            sentences_of(shown));
    out["timeline"] = charts(shown);
    if (windows_) plait::measure::say_windows(out, *windows_);
    const double rate = asked_.link_rate_bytes_per_s;
    out["environment"]["link_rate_Bps"] = rate > 0 ? json(rate) : json(nullptr);
    return out;
  }

  /// The model above the run, of rank 0, where both can be looked at.
  [[nodiscard]] json charts(const std::vector<cell>& shown) const {
    json result = json::object();
    for (const cell& one : shown) {
      if (!one.travels() || !one.which.overlapped || one.laps.empty() || env_.size() < 2) continue;
      const std::string name = one.name() + ", " + one.circumstance_name;
      const model_symbols s = symbols_of(one.network, one.which, shape_of(one.when),
                                         one.times.median_s(local_computation));
      const plait::measure::gantt model = modelled_chart(s), run = measured_chart(one.laps);
      result[name + ": the model"] = plait::measure::timeline_of(model.events(), 0);
      result[name + ": a run"] = plait::measure::timeline_of(run.events(), 0);
    }
    return result.empty() ? json(nullptr) : result;
  }

  [[nodiscard]] json parameters() const {
    json algorithms = json::array();
    for (const point& one : wanted_.points) algorithms.push_back(one.name);
    json shapes = json::array();
    for (const named_shape& one : wanted_.shapes) shapes.push_back(one.label);
    return {{"preset", wanted_.preset},
            {"ways", wanted_.ways},
            {"algorithms", algorithms},
            {"shapes", shapes},
            {"ratios", wanted_.ratios},
            {"repeat", asked_.repeat},
            {"policy", plait::to_string(wanted_.policy)},
            {"windows", plait::to_string(wanted_.windows)},
            {"plans", spectral::planning_names[static_cast<std::size_t>(wanted_.planning)]}};
  }

  /// Adds the parameters of the network, the model and its bound.
  void add_model(cell& one) const {
    const row_blocks& shape = shape_of(one.when);
    const cell& silent = same_at(one, 0);
    const calibration measured{
        silent.times.median_s(comm_init), same_at(one, 1).times.median_s(comm_init),
        plait::measure::median(floods_.at({one.name(), one.when.shape})), silent.total_s()};
    const double computation_s = one.times.median_s(local_computation);
    one.network = loggp_of(measured, one.which, shape);
    one.model = modelled(one.network, one.which, shape, computation_s);
    loggp of_pattern = one.network;
    of_pattern.gap_per_byte_s = one.network.gap_per_byte_of_pattern_s;
    one.empirical = modelled(of_pattern, one.which, shape, computation_s);
    if (one.which.overlapped && env_.size() > 1)
      one.printed = predict_as_printed(symbols_of(one.network, one.which, shape, computation_s));
    one.bound_s = computation_s;
    for (const cell& other : cells_)
      if (other.circumstance_name == one.circumstance_name)
        one.bound_s = std::min(one.bound_s, other.times.median_s(local_computation));
    if (env_.size() < 2) return;
    one.communication_s = silent.total_s();
    loggp cheapest = one.network;
    for (const auto& [name, found] : floods_)
      cheapest.gap_per_byte_s = std::min(cheapest.gap_per_byte_s, plait::measure::median(found));
    one.bound_s =
        std::max(one.bound_s, transfer_s(symbols_of(cheapest, one.which, shape, computation_s)));
  }

  /// Returns the same way and algorithm, of the same shape, at another scale.
  [[nodiscard]] const cell& same_at(const cell& one, double scale) const {
    return *std::ranges::find_if(cells_, [&](const cell& other) {
      return other.name() == one.name() && other.when.shape == one.when.shape &&
             other.when.scale == scale && other.when.ratio == 0;
    });
  }

  plait::environment& env_;
  const request& wanted_;
  const plait::measure::session_options& asked_;
  problem rows_;
  std::vector<circumstance> circumstances_;
  std::vector<cell> cells_;
  std::optional<plait::window_choice> windows_;
  std::map<std::pair<std::string, std::size_t>, std::vector<double>>
      floods_;  ///< G by row and shape
};

}  // namespace

plait::measure::outcome measure(plait::environment& env, const request& wanted,
                                const plait::measure::session_options& asked) {
  return session(env, wanted, asked).run();
}

}  // namespace ft_probe
