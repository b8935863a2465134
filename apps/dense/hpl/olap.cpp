// SPDX-License-Identifier: BSD-3-Clause
// Variant `olap`: plain MPI with look-ahead by hand, one panel deep, as netlib's DEPTH 1.  The next
// panel is brought up to date first, factored, and sent while this one is applied to the rest, in
// pieces, with a look at the messages after each.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "measure/compare/timeline.hpp"
#include "panel_broadcast.hpp"
#include "row_exchange.hpp"
#include "variant.hpp"

namespace hpl {
namespace {

using plait::activity;

constexpr std::int64_t columns_between_looks = 256;

class olap final : public variant {
 public:
  void prepare(linear_system& system) override {
    update_.emplace(system);
    if (system.panels() == 0) return;
    for (std::vector<double>& memory : memory_)
      memory.resize(static_cast<std::size_t>(panel_size(system.place(0)) + system.how.nb));
  }

  void run(linear_system& system, int, const step_range& recorded) override {
    watch_.start();
    watch_.begin_step(0, recorded);
    if (system.panels() > 0) begin(system, 0);
    for (int k = 0; k < system.panels(); ++k) {
      travels_.wait();
      watch_.lap(activity::exposed, "wait");
      step(system, k);
    }
    system.solve();
    watch_.lap(activity::exposed, "solve");
    watch_.stop();
  }

  [[nodiscard]] run_report finish(linear_system&) override { return watch_.report(); }

 private:
  std::vector<double>& memory(int k) { return memory_[static_cast<std::size_t>(k % 2)]; }

  /// Factors panel k where it is, and starts its way.
  void begin(linear_system& system, int k) {
    const panel_place at = system.place(k);
    const std::span<double> next = panel_in(memory(k), at).all;
    if (system.grid.q() == at.q) {
      factor_panel(system, at, pivoting::of_column, system.columns_at(at.local_column, at.width),
                   next, system.search());
      watch_.lap(activity::compute, "factor");
    }
    travels_.start(transfers_of(system.how.bcast, system.grid.columns(), system.grid.q(), at.q,
                                panel_size(at)),
                   next, system.grid.mpi_row());
    watch_.lap(activity::posting, "start");
  }

  void step(linear_system& system, int k) {
    const panel_place at = system.place(k);
    const std::span<const double> done = memory(k);
    note_pivots(at, done, system.pivots, system.zero_pivot);
    std::int64_t column = system.first_trailing(k);
    if (k + 1 < system.panels()) {
      const panel_place next = system.place(k + 1);
      if (system.grid.q() == next.q) {
        update_->apply(at, done, column, next.width);
        watch_.lap(activity::compute, "update");
        column += next.width;
      }
      begin(system, k + 1);
    }
    bool there = k + 1 == system.panels();
    while (column < system.columns()) {
      const std::int64_t some = std::min(columns_between_looks, system.columns() - column);
      update_->apply(at, done, column, some);
      watch_.lap(activity::compute, "update");
      column += some;
      if (there) continue;
      there = travels_.test();
      watch_.lap(activity::posting, "look");
    }
  }

  std::optional<updater> update_;
  panel_on_its_way travels_;
  std::array<std::vector<double>, 2> memory_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_olap() {
  return std::make_unique<olap>();
}

}  // namespace hpl
