// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI without look-ahead.  Each panel is factored, sent, waited for, and then
// applied to all columns that are left.
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

class base final : public variant {
 public:
  void prepare(linear_system& system) override {
    update_.emplace(system);
    if (system.panels() > 0)
      memory_.resize(static_cast<std::size_t>(panel_size(system.place(0)) + system.how.nb));
  }

  void run(linear_system& system, int, const step_range& recorded) override {
    watch_.start();
    watch_.begin_step(0, recorded);
    for (int k = 0; k < system.panels(); ++k) {
      const panel_place at = system.place(k);
      const std::span<double> now = panel_in(memory_, at).all;
      if (system.grid.q() == at.q) {
        factor_panel(system, at, pivoting::of_column, system.columns_at(at.local_column, at.width),
                     now, system.search());
        watch_.lap(activity::compute, "factor");
      }
      travels_.start(transfers_of(system.how.bcast, system.grid.columns(), system.grid.q(), at.q,
                                  panel_size(at)),
                     now, system.grid.mpi_row());
      travels_.wait();
      watch_.lap(activity::exposed, "broadcast");
      note_pivots(at, now, system.pivots, system.zero_pivot);
      const std::int64_t first = system.first_trailing(k);
      update_->apply(at, now, first, system.columns() - first);
      watch_.lap(activity::compute, "update");
    }
    system.solve();
    watch_.lap(activity::exposed, "solve");
    watch_.stop();
  }

  [[nodiscard]] run_report finish(linear_system&) override { return watch_.report(); }

 private:
  std::optional<updater> update_;
  panel_on_its_way travels_;
  std::vector<double> memory_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_base() {
  return std::make_unique<base>();
}

}  // namespace hpl
