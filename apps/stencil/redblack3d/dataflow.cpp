// SPDX-License-Identifier: BSD-3-Clause
// Policy TASK: moves of ghosts and pieces of the sweeps say which cells they read and write;
// nothing else says what overlaps, and neither colours nor steps are separated.  A step is recorded
// once and replayed.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <plait/plait.hpp>

#include "ghosts.hpp"
#include "kernel.hpp"
#include "measure/base/result.hpp"
#include "measure/compare/task_variant.hpp"
#include "shares.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

class dataflow final : public plait::measure::task_variant<problem> {
 public:
  dataflow(plait::environment& env, const plait::runtime_options& tasks, const policy& how,
           slow_worker slow, std::int64_t message_cells, setting solves)
      : task_variant(env, tasks),
        policy_(how),
        slow_which_(slow),
        message_cells_(message_cells),
        solves_(solves) {}
  [[nodiscard]] setting solves() const noexcept override { return solves_; }

 private:
  plait::measure::task_steps steps_of(problem& p) override {
    slow_.emplace(slow_which_);
    data_ = p.data();
    interior_.clear();
    rim_.clear();
    ghosts_.clear();
    for (const colour c : both_colours)
      ghosts_.push_back(ghosts_of_colour(env_, p, c, message_cells_));
    return {.tasks = plait::measure::most_recorded, .submit = [this, &p](plait::runtime& rt, int) {
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

  void submit_sweep(plait::runtime& rt, colour c) {
    if (solves_ == setting::distributed) rt.move(ghosts_[index_of(other(c))]);
    for (const box& piece : interior_) submit_piece(rt, c, false, piece);
    for (const box& piece : rim_) submit_piece(rt, c, true, piece);
  }

  void submit_piece(plait::runtime& rt, colour c, bool is_rim, const box& cells) {
    rt.task(
          is_rim ? plait::task_name("annulus") : "interior",
          [](dataflow* self, colour swept, const box& own) {
            self->slow_->run(self->slow_->number(), [&] { relax(self->data_, swept, own); });
          },
          this, c, cells)
        .priority(is_rim ? plait::high : plait::normal)
        .also(plait::in(data_.u[index_of(other(c))][star(cells)]))
        .also(plait::out(data_.u[index_of(c)][cells]));
  }

  void add_to(run_report& report) override {
    const plait::measure::breakdown mean = plait::measure::mean_of(report.ledger);
    report.figures = {{"wait_s", mean.posting_s + mean.exposed_s}, {"compute_s", mean.compute_s}};
    report.words["progress"] = report.words["policy_chosen"];
  }

  const policy policy_;
  const slow_worker slow_which_;
  const std::int64_t message_cells_;
  const setting solves_;
  std::optional<plait::measure::slowness> slow_;
  block_data data_;
  std::vector<box> interior_, rim_;
  std::vector<plait::move_plan> ghosts_;  ///< by their colour
};

}  // namespace

std::unique_ptr<variant> make_tasks(plait::environment& env, const policy& how, slow_worker slow,
                                    std::int64_t message_cells, setting solves) {
  plait::runtime_options tasks{.engine = {.policy = how.proxy ? progress_of_proxy(env, how.threads)
                                                              : plait::progress::automatic},
                               .tasks = {.workers = how.threads}};
  if (solves == setting::isolated)
    tasks.engine.policy = plait::progress::none;  // nothing to look after
  return std::make_unique<dataflow>(env, tasks, how, slow, message_cells, solves);
}

}  // namespace redblack3d
