// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <cmath>

#include "measure/alone.hpp"
#include "measure/gather.hpp"
#include "measure/row_limits.hpp"
#include "measure/transport_cost.hpp"

namespace plait::bench::fft {
namespace {

class session {
 public:
  session(environment& env, const request& wanted) : env_(env), wanted_(wanted) {
    const std::vector<peer> known = all_peers();
    for (const ft::problem_class& what : wanted.classes) {
      std::vector<planned_peer> peers;
      for (const peer& one : known)
        if (is_wanted(one.name))
          peers.push_back({one.name, one.make(env, what.cells, wanted.how.planning)});
      for (const std::string& program : wanted.programs)
        contests_.push_back(program == "ft" ? nas_ft(env, what, wanted.how, peers)
                                            : there_and_back(env, what, wanted.how, peers));
    }
    for (const contest& one : contests_) plan(one);
  }

  outcome run() {
    outcome result;
    result.rows = measure::measure_interleaved(plan_, wanted_.repetition);
    for (const contest& one : contests_) {
      // Computation alone is base without its messages.
      result.rows[measure::alone_row][one.column]["computation_us"] =
          result.rows.at(ideal_row).at(one.column).at("total_us");
    }
    measure::add_limits(result.rows);
    for (const contest& one : contests_) {
      for (const char* name : {"olap", "plait"})
        if (result.rows.contains(name))
          measure::add_hidden_fraction(result.rows[name][one.column], result.rows, one.column,
                                       base_row);
    }
    result.verified = found_.add_to(result.rows);
    return result;
  }

 private:
  /// The bound needs the ideal.
  [[nodiscard]] bool is_wanted(const std::string& name) const {
    return name == ideal_row || std::ranges::count(wanted_.rows, name) > 0;
  }

  void plan(const contest& one) {
    const measure::json remarks{{"cells", one.cells}, {"transforms", one.transforms}};
    measure::json of_alone = remarks;
    if (const auto wire = measure::wire_s(env_, one.sent_per_transform, wanted_.link_rate_Bps))
      of_alone["wire_us"] = 1e6 * *wire;
    add_alone(one, of_alone);
    for (const competitor& each : one.rows)
      if (is_wanted(each.name))
        plan_.push_back({each.name, one.column,
                         [this, &one, &each] { return figures_of(one, each); }, remarks});
  }

  void add_alone(const contest& one, const measure::json& remarks) {
    const double exchange_s =
        measure::slowest_s(env_, 3, [&] { return measure::step_seconds(env_, 1, one.exchange); });
    plan_.push_back({measure::alone_row, one.column,
                     [this, &one, exchange_s] { return alone(one, exchange_s); }, remarks});
  }

  [[nodiscard]] measure::json alone(const contest& one, double exchange_s) {
    const double own_s = measure::step_seconds(env_, one.transforms, one.exchange);
    measure::json figures{{"communication_us", 1e6 * measure::maximum(env_, own_s)}};
    if (env_.size() == 1 || !measure::transport_is_measurable(exchange_s)) return figures;
    const double cpu_s = measure::transport_s(
        env_, [&] { one.exchange_sparsely(measure::between_looks); }, exchange_s);
    const double mean_s = measure::sum(env_, cpu_s) / env_.size();
    if (std::isfinite(mean_s)) figures["transport_cpu_us"] = 1e6 * mean_s;
    return figures;
  }

  [[nodiscard]] measure::json figures_of(const contest& one, const competitor& each) {
    const measure::checked_run got = each.run();
    found_.note(each.name, one.column, got);
    return measure::figures_of(env_, got, one.transforms, one.operations);
  }

  environment& env_;
  const request& wanted_;
  std::vector<contest> contests_;
  std::vector<measure::measurement> plan_;
  measure::row_findings found_{env_, "fft"};
};

}  // namespace

outcome measure(environment& env, const request& wanted) {
  return session(env, wanted).run();
}

double memory_bytes(const request& wanted, int ranks) {
  // Fields and buffers of an application, or of a peer and its evolved field: six of a rank's part.
  constexpr double copies = 6;
  constexpr index most_cells_in_series = index{1} << 25;  // rank 0 transforms those itself, too
  const auto peers = static_cast<double>(all_peers().size());
  double bytes = 0;
  for (const ft::problem_class& what : wanted.classes) {
    const index cells = what.cells[0] * what.cells[1] * what.cells[2];
    const double part = static_cast<double>(cells) / ranks * sizeof(complex);
    bytes += copies * part * (static_cast<double>(wanted.programs.size()) + peers);
    if (what.name == "U" && cells <= most_cells_in_series)
      bytes += 2 * static_cast<double>(cells) * sizeof(complex);
  }
  return bytes;
}

}  // namespace plait::bench::fft
