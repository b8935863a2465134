// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "algorithms.hpp"
#include "figures.hpp"
#include "measure/measured_rows.hpp"
#include "measure/result.hpp"
#include "measure/statistics.hpp"
#include "modelled.hpp"
#include "problem.hpp"

namespace ft_probe {
namespace {

using plait::measure::json;
using plait::measure::measurement;

/// The figures of one run, as the result names them.
json timers_of(plait::environment& env, const breakdown& own) {
  const auto mean = [&](double seconds) {
    return plait::measure::sum(env, seconds) / env.size();
  };
  return {{"total_s", plait::measure::maximum(env, own.total_s)},
          {"computation_s", mean(own.computation_s)},
          {"comm_init_s", mean(own.comm_init_s)},
          {"comm_sync_s", mean(own.comm_sync_s)},
          {"barrier_s", mean(own.barrier_s)}};
}

/// One cell of the result.
struct cell {
  std::string way;
  point which;
  circumstance when;
  workload work = {};
  bool shown = true;  ///< false: only to calibrate the model
  bool verified = true;
  double max_error = 0;
  double error_bound = 0;
};

class session {
 public:
  session(plait::environment& env, const request& wanted,
          const plait::measure::session_options& asked)
      : env_(env), wanted_(wanted), asked_(asked), rows_(blocks(wanted), env.rank(), wanted.planning) {}

  plait::measure::outcome run() {
    find_scales();
    list_cells();
    const json rows = plait::measure::measure_interleaved(
        measurements(), {.repeat = asked_.repeat,
                         .progress = asked_.progress && env_.rank() == 0,
                         .warm_up = true});
    const bool verified = std::ranges::all_of(cells_, &cell::verified);
    return {verified, env_.rank() == 0 ? result(rows) : json()};
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

  // --- what is measured --------------------------------------------------------------------------

  /// Finds the scales at which Exchange communicates `ratio` times as long as it computes.
  void find_scales() {
    circumstances_ = wanted_.circumstances;
    const std::string& way = wanted_.ways.front();
    const point exchange{"exchange", false, 0};
    for (std::size_t shape = 0; !wanted_.ratios.empty() && shape < wanted_.shapes.size(); ++shape) {
      std::vector<double> communication_s;
      std::vector<double> computation_s;
      for (int round = 0; round < 4; ++round) {
        cell silent{.way = way, .which = exchange, .when = {.shape = shape}};
        silent.work = workload_of(shape_of(silent.when).length(), 0);
        cell whole = silent;
        whole.work = workload_of(shape_of(silent.when).length(), 1);
        const double alone_s = run_once(silent).at("total_s");
        const double busy_s = run_once(whole).at("computation_s");
        if (round == 0) continue;
        communication_s.push_back(alone_s);
        computation_s.push_back(busy_s);
      }
      const double quotient =
          plait::measure::median(communication_s) / plait::measure::median(computation_s);
      for (const double ratio : wanted_.ratios)
        circumstances_.push_back({shape, quotient / ratio, ratio});
    }
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
                              .work = workload_of(shape_of(when).length(), when.scale),
                              .shown = is_shown});
  }

  std::vector<measurement> measurements() {
    std::vector<measurement> all;
    for (cell& one : cells_)
      all.push_back({row_of(one), column_of(one.when), [this, &one] { return run_once(one); }});
    for (cell& one : cells_)
      if (is_silent(one))
        all.push_back({row_of(one), flood_column(one.when), [this, &one] {
                         return json{{"gap_per_byte_s", flood_once(one)}};
                       }});
    return all;
  }

  [[nodiscard]] static bool is_silent(const cell& one) {
    return one.when.scale == 0 && one.when.ratio == 0 && one.way != "none";
  }
  [[nodiscard]] std::string row_of(const cell& one) const {
    return one.way + " " + one.which.name;
  }
  [[nodiscard]] std::string column_of(const circumstance& when) const {
    const std::string& shape = wanted_.shapes[when.shape].label;
    if (when.ratio > 0) return fmt::format("{}, ratio {:g}", shape, when.ratio);
    return fmt::format("{}, scale {:.4g}", shape, when.scale);
  }
  [[nodiscard]] std::string flood_column(const circumstance& when) const {
    return wanted_.shapes[when.shape].label + ", flood";
  }

  // --- runs --------------------------------------------------------------------------------------

  json run_once(cell& one) {
    rows_.reset(shape_of(one.when), one.work);
    breakdown spent;
    {
      const std::unique_ptr<carrier> by = make_carrier(one.way, {env_, rows_, wanted_.policy});
      env_.barrier();
      spent = run_algorithm(one.which, rows_, *by);
    }
    check(one);
    return timers_of(env_, spent);
  }

  double flood_once(const cell& one) {
    rows_.reset(shape_of(one.when), one.work);
    const std::unique_ptr<carrier> by = make_carrier(one.way, {env_, rows_, wanted_.policy});
    env_.barrier();
    return flood(env_, one.which, rows_, *by);
  }

  void check(cell& one) {
    const finding found = rows_.check(one.way != "none");
    one.max_error = std::max(one.max_error, plait::measure::maximum(env_, found.max_error));
    one.error_bound = found.bound;
    if (!found.complaint.empty() && one.verified)
      std::fprintf(stderr, "ft-probe: %s, %s: %s\n", row_of(one).c_str(),
                   column_of(one.when).c_str(), found.complaint.c_str());
    one.verified = plait::measure::all_of(env_, found.complaint.empty()) && one.verified;
  }

  // --- the result --------------------------------------------------------------------------------

  [[nodiscard]] json result(const json& rows) const {
    json out{{"schema", "plait-result/1"}, {"kind", "probe"}, {"app", "ft-probe"}};
    out["parameters"] = {{"preset", wanted_.preset},   {"ways", wanted_.ways},
                         {"algorithms", names()},      {"shapes", json::array()},
                         {"repeat", asked_.repeat},    {"policy", plait::to_string(wanted_.policy)},
                         {"ratios", wanted_.ratios},
                         {"plans", wanted_.planning == spectral::planning::measured ? "measured"
                                                                                    : "estimated"}};
    for (const named_shape& one : wanted_.shapes)
      out["parameters"]["shapes"].push_back(one.label);
    out["environment"] = plait::measure::describe_environment(env_);
    const double rate = asked_.link_rate_bytes_per_s;
    out["environment"]["link_rate_Bps"] = rate > 0 ? json(rate) : json(nullptr);
    out["rows"] = json::object();
    for (const cell& one : cells_)
      if (one.shown) out["rows"][row_of(one)][column_of(one.when)] = cell_result(one, rows);
    out["figures"] = ft_probe::figures_of(out["rows"]);
    out["sentences"] = sentences_of(out["rows"]);
    return out;
  }

  [[nodiscard]] json names() const {
    json all = json::array();
    for (const point& one : wanted_.points) all.push_back(one.name);
    return all;
  }

  [[nodiscard]] json cell_result(const cell& one, const json& rows) const {
    const row_blocks& shape = shape_of(one.when);
    json out = rows.at(row_of(one)).at(column_of(one.when));
    const index messages = one.which.messages_of(shape);
    out["way"] = one.way;
    out["algorithm"] = one.which.name;
    out["shape"] = wanted_.shapes[one.when.shape].label;
    out["circumstance"] = column_of(one.when);
    out["messages"] = messages;
    out["scale"] = one.work.scale();
    out["ratio"] = one.when.ratio > 0 ? json(one.when.ratio) : json(nullptr);
    out["transformed"] = one.work.transformed();
    out["verified"] = one.verified;
    out["max_error"] = one.max_error;
    out["error_bound"] = one.error_bound;
    if (one.way == "none") return out;
    const calibration measured = calibration_of(one, rows);
    const loggp network = loggp_of(measured, one.which, shape);
    out["network"] = {{"overhead_s", network.overhead_s},
                      {"gap_s", network.gap_s},
                      {"gap_per_byte_s", network.gap_per_byte_s}};
    out["model"] = modelled(network, one.which, shape, out["computation_s"]["median"]);
    out["model"]["bound_s"] = std::max(least_computation_s(one, rows),
                                       out["model"]["transfer_s"].get<double>());
    out["communication_s"] = silent_of(one, rows).at("total_s").at("median");
    return out;
  }

  /// The cell of the same row and shape without computation.
  [[nodiscard]] const json& silent_of(const cell& one, const json& rows) const {
    return rows.at(row_of(one)).at(column_of({one.when.shape, 0, 0}));
  }

  [[nodiscard]] calibration calibration_of(const cell& one, const json& rows) const {
    const json& row = rows.at(row_of(one));
    return {silent_of(one, rows).at("comm_init_s").at("median"),
            row.at(column_of({one.when.shape, 1, 0})).at("comm_init_s").at("median"),
            row.at(flood_column(one.when)).at("gap_per_byte_s").at("median")};
  }

  /// Computation where it is least disturbed.
  [[nodiscard]] double least_computation_s(const cell& one, const json& rows) const {
    double least = rows.at(row_of(one)).at(column_of(one.when)).at("computation_s").at("median");
    for (const cell& other : cells_)
      if (column_of(other.when) == column_of(one.when))
        least = std::min<double>(least, rows.at(row_of(other))
                                            .at(column_of(other.when))
                                            .at("computation_s")
                                            .at("median"));
    return least;
  }

  plait::environment& env_;
  const request& wanted_;
  const plait::measure::session_options& asked_;
  problem rows_;
  std::vector<circumstance> circumstances_;
  std::vector<cell> cells_;
};

}  // namespace

plait::measure::outcome measure(plait::environment& env, const request& wanted,
                                const plait::measure::session_options& asked) {
  return session(env, wanted, asked).run();
}

}  // namespace ft_probe
