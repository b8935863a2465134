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
#include "measure/steps_of_run.hpp"
#include "shares.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

using plait::in;
using plait::out;

class dataflow final : public variant {
 public:
  dataflow(plait::environment& env, const policy& how, slow_worker slow)
      : env_(env), how_(how), slow_which_(slow) {}

  void prepare(problem& p) override {
    slow_.emplace(slow_which_);
    data_ = p.data();
    rt_.emplace(env_,
                plait::runtime_options{.workers = how_.threads,
                                       .in_flight = most_tasks,
                                       .policy = how_.proxy ? progress_of_proxy(env_, how_.threads)
                                                            : plait::progress::automatic});
    policy all_workers = how_;
    all_workers.threads = rt_->workers();
    const tiers node = tiers_of(p.whole(), all_workers);
    const int own = p.whole().block_of(p.rank());
    interior_ = node.tiles(own, plait::block_part::interior, tiling_of(data_));
    rim_ = node.cells(own, plait::block_part::rim);
    for (const colour c : both_colours) {
      array& u = p.u[index_of(c)];
      const auto ghosts = plait::ghost_copies(u.blocks(), plait::ghost_reach::faces, p.rank());
      ghosts_[index_of(c)].emplace(
          plait::moving(u, ghosts,
                        {.name = std::string(c == colour::red ? "red" : "black") + " ghosts",
                         .gaps_travel = true}));
    }
    step_.emplace(rt_->record([&] {
      for (const colour c : both_colours) submit_sweep(c);
    }));
    rt_->start_trace();
  }

  void run(problem&, int steps, const step_range& recorded) override {
    rt_->reset_ledger();
    started_ = plait::now_ticks();
    rt_->replay(*step_, static_cast<std::uint64_t>(steps));
    rt_->wait();
    steps_ = steps;
    recorded_ = recorded;
    report_.ledger = rt_->ledger();
  }

  [[nodiscard]] run_report finish(problem&) override {
    double wait_s = 0;
    double compute_s = 0;
    for (const plait::ledger_entry& worker : report_.ledger) {
      const double share = 1.0 / static_cast<double>(report_.ledger.size());
      wait_s += share * (worker.posting_s + worker.exposed_s);
      compute_s += share * worker.compute_s;
    }
    report_.figures = {{"wait_s", wait_s}, {"compute_s", compute_s}};
    plait::measure::keep_steps(report_, rt_->stop_trace(), plait::ticks_to_seconds(started_),
                               steps_, recorded_);
    if (rt_->progress_choice().proxy) report_.proxy_cpu_s = rt_->progress_statistics().proxy_cpu_s;
    report_.workers = rt_->workers();
    report_.words["progress"] = rt_->progress_choice().name;
    step_.reset();
    rt_.reset();
    for (auto& one : ghosts_) one.reset();
    return std::move(report_);
  }

 private:
  static constexpr std::size_t most_tasks = std::size_t{1} << 17;

  void submit_sweep(colour c) {
    rt_->move(*ghosts_[index_of(other(c))]);
    for (const box& piece : interior_) submit_piece(c, "interior", plait::normal, piece);
    for (const box& piece : rim_) submit_piece(c, "annulus", plait::high, piece);
  }

  void submit_piece(colour c, plait::task_name name, plait::priority urgency, const box& cells) {
    const plait::view<double, 3>& read = data_.u[index_of(other(c))];
    rt_->task(
           name,
           [](dataflow* self, colour swept, const box& own) {
             self->slow_->run(self->slow_->number(), [&] { relax(self->data_, swept, own); });
           },
           this, c, cells)
        .priority(urgency)
        .also(in(read[star(cells)]))
        .also(out(data_.u[index_of(c)][cells]));
  }

  plait::environment& env_;
  const policy how_;
  const slow_worker slow_which_;
  std::optional<slowness> slow_;
  block_data data_;
  std::vector<box> interior_;
  std::vector<box> rim_;
  std::array<std::optional<plait::move_plan>, 2> ghosts_;  ///< by their colour
  std::optional<plait::runtime> rt_;
  std::optional<plait::graph> step_;
  plait::ticks started_ = 0;
  int steps_ = 0;
  step_range recorded_;
  run_report report_;
};

}  // namespace

std::unique_ptr<variant> make_tasks(plait::environment& env, const policy& how, slow_worker slow) {
  return std::make_unique<dataflow>(env, how, slow);
}

}  // namespace redblack3d
