// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: dataflow.  A panel is factored as soon as its columns are up to date, travels as
// soon as it is factored, and lies in one of a few buffers: their number is the depth.  [MPI/SMPSs,
// section 2.1]  The search for pivots among processes is blocking MPI in the task that factors.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <plait/plait.hpp>

#include "measure/compare/task_variant.hpp"
#include "panel_broadcast.hpp"
#include "row_exchange.hpp"
#include "variant.hpp"

namespace hpl {
namespace {

using plait::in, plait::inout, plait::out;

// Columns that a task updates: some milliseconds, so that workers look after messages.
constexpr std::int64_t columns_of_task = 256;

/// Keeps the bits of the one operand that is not zero.
struct either {
  double operator()(double a, double b) const {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) | std::bit_cast<std::uint64_t>(b));
  }
};

class dataflow final : public plait::measure::task_variant<linear_system> {
 public:
  /// `first`: the priority of what the next panel needs.
  dataflow(plait::environment& env, const options& how, plait::priority first)
      : task_variant(env, how), first_(first) {}

 private:
  plait::measure::task_steps steps_of(linear_system& system) override {
    system_ = &system;
    memory_.assign(static_cast<std::size_t>(system.how.depth) + 1, {});
    if (system.panels() > 0)
      for (std::vector<double>& memory : memory_)
        memory.resize(static_cast<std::size_t>(panel_size(system.place(0)) + system.how.nb));
    make_row_buffers();
    return {.replayed = false, .submit = [this](plait::runtime& rt, int) {
              rt_ = &rt;
              for (int k = 0; k < system_->panels(); ++k) submit(k);
            }};
  }

  void ended(linear_system& system, int) override { system.solve(); }

  void submit(int k) {
    const panel_place at = system_->place(k);
    std::vector<double>& memory = memory_[static_cast<std::size_t>(k) % memory_.size()];
    const std::span<double> panel = panel_in(memory, at).all;
    // The search orders the tasks of a process that has no rows of a panel: nothing else does.
    if (system_->grid.q() == at.q)
      rt_->task("factor", factor_panel, std::cref(*system_), at, pivoting::of_column,
                inout(system_->columns_at(at.local_column, at.width)), out(panel),
                inout(system_->search()))
          .priority(first_);
    send_panel(at, panel);
    rt_->task("note", note_pivots, at, in(panel), inout(std::span(system_->pivots)),
              inout(system_->zero_pivot));
    update(k, at, panel);
  }

  void send_panel(const panel_place& at, std::span<double> panel) {
    const mesh& grid = system_->grid;
    for (const transfer& one :
         transfers_of(system_->how.bcast, grid.columns(), grid.q(), at.q, panel_size(at))) {
      const auto part =
          panel.subspan(static_cast<std::size_t>(one.first), static_cast<std::size_t>(one.count));
      if (one.sends) {
        rt_->send("panel", in(part), one.peer, 0, grid.row());
      } else {
        rt_->recv("panel", out(part), one.peer, 0, grid.row());
      }
    }
  }

  /// In order of columns; those of the next panel by themselves, and first of all.
  void update(int k, const panel_place& at, std::span<const double> panel) {
    std::int64_t column = system_->first_trailing(k);
    std::size_t number = 0;
    if (k + 1 < system_->panels()) {
      const panel_place next = system_->place(k + 1);
      if (system_->grid.q() == next.q) {
        update(at, panel, column, next.width, first_, number++);
        column += next.width;
      }
    }
    while (column < system_->columns()) {
      const std::int64_t some = std::min(columns_of_task, system_->columns() - column);
      update(at, panel, column, some, plait::normal, number++);
      column += some;
    }
  }

  void update(const panel_place& at, std::span<const double> panel, std::int64_t column,
              std::int64_t count, plait::priority urgency, std::size_t number) {
    if (system_->grid.rows() > 1) {
      update_among(at, panel, column, count, urgency, rows_[number]);
      return;
    }
    rt_->task("update", apply_panel_alone, std::cref(*system_), at, in(panel),
              inout(system_->columns_at(column, count)))
        .priority(urgency);
  }

  void update_among(const panel_place& at, std::span<const double> panel, std::int64_t column,
                    std::int64_t count, plait::priority urgency, exchanged_rows& rows) {
    const auto size = static_cast<std::size_t>(at.width * count);
    const auto coming = std::span(rows.in).first(size), leaving = std::span(rows.out).first(size);
    const auto cells = system_->columns_at(column, count);
    const bool has_block = at.p == system_->grid.p();
    rt_->task("collect", collect_rows, std::cref(*system_), at, in(panel), in(cells), out(coming),
              out(leaving))
        .priority(first_);
    const plait::communicator& among = system_->grid.column();
    const bool pairs = exchanges_in_pairs(system_->how, count);
    rt_->allreduce("rows", inout(coming), either{},
                   {.among = among,
                    .algorithm = pairs ? plait::collective::algorithm::recursive_doubling
                                       : plait::collective::algorithm::ring});
    if (has_block) {
      rt_->bcast("rows of the block", in(leaving), at.p, {.among = among});
    } else {
      rt_->bcast("rows of the block", out(leaving), at.p, {.among = among});
    }
    rt_->task("update", apply_panel, std::cref(*system_), at, in(panel), inout(cells),
              inout(coming), in(leaving))
        .priority(urgency);
  }

  void make_row_buffers() {
    if (system_->grid.rows() == 1) return;
    const std::int64_t most = std::max(columns_of_task, system_->how.nb);
    rows_.resize(static_cast<std::size_t>(system_->columns() / columns_of_task + 2));
    for (exchanged_rows& one : rows_) {
      one.in.resize(static_cast<std::size_t>(system_->how.nb * most));
      one.out.resize(one.in.size());
    }
  }

  const plait::priority first_;
  linear_system* system_ = nullptr;
  plait::runtime* rt_ = nullptr;
  std::vector<std::vector<double>> memory_;  ///< panels
  std::vector<exchanged_rows> rows_;         ///< of the updates of one panel
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen,
                                    plait::priority first) {
  options how = chosen;
  how.compare_sizes = false;
  return std::make_unique<dataflow>(env, how, first);
}

plait::measure::variant_list<linear_system> variants_of(plait::environment& env,
                                                        const options& chosen) {
  return {{"base", make_base},
          {"olap", make_olap},
          {"plait", [&] { return make_plait(env, chosen); }},
          {"plait in order", [&] { return make_plait(env, chosen, plait::normal); }},
          {"ideal", make_ideal}};
}

}  // namespace hpl
