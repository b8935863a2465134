// SPDX-License-Identifier: BSD-3-Clause
// Variant `ideal`: base with communication switched off.  Where a panel would come from elsewhere
// there is one that changes nothing, and costs as much to apply; rows and pivots stay in the
// process.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "measure/compare/timeline.hpp"
#include "row_exchange.hpp"
#include "variant.hpp"

namespace hpl {
namespace {

using plait::activity;

class ideal final : public variant {
 public:
  [[nodiscard]] setting solves() const noexcept override { return setting::isolated; }

  void prepare(linear_system& system) override {
    update_.emplace(system);
    update_->stay_alone();
    if (system.panels() == 0) return;
    memory_.resize(static_cast<std::size_t>(panel_size(system.place(0)) + system.how.nb));
    elsewhere_.assign(memory_.size(), 0.0);
  }

  void run(linear_system& system, int, const step_range& recorded) override {
    watch_.start();
    watch_.begin_step(0, recorded);
    for (int k = 0; k < system.panels(); ++k) {
      const panel_place at = system.place(k);
      const bool mine = system.grid.q() == at.q;
      std::vector<double>& memory = mine ? memory_ : elsewhere_;
      const panel now = panel_in(memory, at);
      if (mine) {
        factor_panel(system, at, pivoting::of_process, system.columns_at(at.local_column, at.width),
                     now.all, system.search());
        watch_.lap(activity::compute, "factor");
      } else {
        for (std::int64_t i = 0; i < at.width; ++i)
          now.pivots()[i] = static_cast<double>(at.first + i);
      }
      const std::int64_t first = system.first_trailing(k);
      update_->apply(at, now.all, first, system.columns() - first);
      watch_.lap(activity::compute, "update");
      // The next panel in this memory is applied with zeros in the place of these pivots again.
      if (!mine) std::fill_n(now.pivots(), at.width, 0.0);
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(linear_system&) override { return watch_.report(); }

 private:
  std::optional<updater> update_;
  std::vector<double> memory_;
  std::vector<double> elsewhere_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_ideal() {
  return std::make_unique<ideal>();
}

}  // namespace hpl
