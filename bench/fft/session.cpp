// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>

#include "measure/load/messages_alone.hpp"
#include "measure/rows/alone.hpp"

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
    // Computation alone is base without its messages.
    measure::add_limits_by(result.rows, ideal_row, base_row, {"olap", "plait"});
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
    plan_.push_back(measure::measure_exchange(env_, one.column, one.transforms,
                                              {one.exchange, one.exchange_sparsely}, of_alone));
    for (const competitor& each : one.rows)
      if (is_wanted(each.name))
        plan_.push_back({each.name, one.column,
                         [this, &one, &each] { return figures_of(one, each); }, remarks});
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
