// SPDX-License-Identifier: BSD-3-Clause
// Policy TASK: moves of ghosts and pieces of the sweeps say which cells they read and write;
// nothing else says what overlaps, and neither colours nor steps are separated.  A step is recorded
// once and replayed.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "exchange.hpp"
#include "kernel.hpp"
#include "measure/task_variant.hpp"
#include "shares.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

using plait::in;
using plait::out;

// Messages that Open MPI sends without asking the receiver first.  [512x512x80, 1 Gbit/s, of two
// jobs: 362 ms; whole faces 370 and 393; parts of 64 Ki cells 368 and 389; the wire takes 351]
constexpr std::int64_t cells_per_message = std::int64_t{15} << 9;

class dataflow final : public plait::measure::task_variant<problem> {
 public:
  dataflow(plait::environment& env, const plait::measure::task_options& tasks, const policy& how,
           slow_worker slow)
      : task_variant(env, tasks), policy_(how), slow_which_(slow) {}

 private:
  plait::measure::task_steps steps_of(problem& p) override {
    slow_.emplace(slow_which_);
    data_ = p.data();
    interior_.clear();
    rim_.clear();
    for (const colour c : both_colours) {
      array& u = p.u[index_of(c)];
      ghosts_[index_of(c)].emplace(
          plait::ghosts_of(u, {.name = std::string(c == colour::red ? "red" : "black") + " ghosts",
                               .cells_per_message = cells_per_message,
                               .gaps_travel = true}));
    }
    return {.submit = [this, &p](plait::runtime& rt, int) {
      if (rim_.empty() && interior_.empty()) cut(p, rt.workers());
      for (const colour c : both_colours) submit_sweep(rt, c);
    }};
  }

  void cut(const problem& p, int workers) {
    policy all_workers = policy_;
    all_workers.threads = workers;
    const tiers node = tiers_of(p.whole(), all_workers);
    const int own = p.whole().block_of(p.rank());
    interior_ = node.tiles(own, plait::block_part::interior, tiling_of(data_));
    rim_ = node.cells(own, plait::block_part::rim);
  }

  void add_to(run_report& report) override {
    double wait_s = 0;
    double compute_s = 0;
    for (const plait::ledger_entry& worker : report.ledger) {
      const double share = 1.0 / static_cast<double>(report.ledger.size());
      wait_s += share * (worker.posting_s + worker.exposed_s);
      compute_s += share * worker.compute_s;
    }
    report.figures = {{"wait_s", wait_s}, {"compute_s", compute_s}};
    report.words["progress"] = report.words["policy_chosen"];
    for (auto& one : ghosts_) one.reset();
  }

  void submit_sweep(plait::runtime& rt, colour c) {
    rt.move(*ghosts_[index_of(other(c))]);
    for (const box& piece : interior_) submit_piece(rt, c, "interior", plait::normal, piece);
    for (const box& piece : rim_) submit_piece(rt, c, "annulus", plait::high, piece);
  }

  void submit_piece(plait::runtime& rt, colour c, plait::task_name name, plait::priority urgency,
                    const box& cells) {
    const plait::view<double, 3>& read = data_.u[index_of(other(c))];
    rt.task(
          name,
          [](dataflow* self, colour swept, const box& own) {
            self->slow_->run(self->slow_->number(), [&] { relax(self->data_, swept, own); });
          },
          this, c, cells)
        .priority(urgency)
        .also(in(read[star(cells)]))
        .also(out(data_.u[index_of(c)][cells]));
  }

  const policy policy_;
  const slow_worker slow_which_;
  std::optional<slowness> slow_;
  block_data data_;
  std::vector<box> interior_;
  std::vector<box> rim_;
  std::array<std::optional<plait::move_plan>, 2> ghosts_;  ///< by their colour
};

}  // namespace

std::unique_ptr<variant> make_tasks(plait::environment& env, const policy& how, slow_worker slow) {
  constexpr std::size_t most_tasks = std::size_t{1} << 17;
  const plait::measure::task_options tasks{
      .workers = how.threads,
      .policy = how.proxy ? progress_of_proxy(env, how.threads) : plait::progress::automatic,
      .in_flight = most_tasks};
  return std::make_unique<dataflow>(env, tasks, how, slow);
}

}  // namespace redblack3d
