// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Slabs, rays and sums say what they read and write; nothing else says
// that both ends are pipelined.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include <plait/plait.hpp>

#include "measure/task_run.hpp"
#include "variant.hpp"

namespace osem {
namespace {

using plait::in;
using plait::inout;
using plait::out;

void project(const block_paths& paths, std::span<const double> x, std::span<double> projection,
             std::size_t slab) {
  forward(paths[slab], x, projection);
}

void clear_and_credit(std::span<const double> x, std::span<const double> ratio,
                      std::span<std::int64_t> z, const std::vector<block_paths>& paths,
                      const std::vector<ray_block>& rays, std::size_t slab) {
  std::ranges::fill(z, 0);
  for (std::size_t b = 0; b < rays.size(); ++b)
    credit(paths[b][slab], x, ratio.subspan(rays[b].first, rays[b].size()), z);
}

class tasks final : public variant {
 public:
  tasks(plait::environment& env, const options& chosen) : env_(env), options_(chosen) {}

  void prepare(problem& p) override {
    rt_.emplace(env_,
                plait::runtime_options{.workers = options_.workers, .policy = options_.policy});
    // The paths of a list take turns in two places, which an odd number of subsets would swap.
    if (!p.is_list() && tasks_of_an_iteration(p) < most_recorded)
      iteration_.emplace(rt_->record([&] {
        for (int step = 0; step < p.what().subsets; ++step) submit_update(p, step);
      }));
    rt_->start_trace();
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    rt_->reset_ledger();
    started_ = plait::now_ticks();
    int step = 0;
    if (p.is_list()) submit_trace(p, 0);
    if (iteration_) {
      rt_->replay(*iteration_, static_cast<std::uint64_t>(steps / p.what().subsets));
      step = steps / p.what().subsets * p.what().subsets;
    }
    for (; step < steps; ++step) {
      submit_update(p, step);
      if (p.is_list() && step + 1 < steps) submit_trace(p, step + 1);
    }
    rt_->wait();
    steps_ = steps;
    kept_steps_ = recorded;
    spent_ = rt_->ledger();
  }

  [[nodiscard]] run_report finish(problem&) override {
    run_report report =
        plait::measure::report_of(*rt_, plait::ticks_to_seconds(started_), steps_, kept_steps_);
    report.ledger = std::move(spent_);
    iteration_.reset();
    rt_.reset();
    return report;
  }

 private:
  /// A larger graph is submitted each time: it would not fit into the in-flight limit.
  static constexpr std::size_t most_recorded = 4000;

  [[nodiscard]] std::size_t tasks_of_an_iteration(const problem& p) const {
    const auto slabs = static_cast<std::size_t>(p.slabs());
    const std::size_t of_a_sum = 8 * static_cast<std::size_t>(env_.size());
    return static_cast<std::size_t>(p.what().subsets) * (slabs * (4 + of_a_sum) + 2);
  }

  void submit_update(problem& p, int step) {
    std::vector<ray_block>& rays = p.blocks(step);
    std::vector<block_paths>& paths = p.paths(step);
    for (int s = 0; s < p.slabs(); ++s)
      for (std::size_t b = 0; b < rays.size(); ++b)
        rt_->task("forward", project, in(paths[b], p.slab(p.image, s)),
                  inout(p.part(p.projection, rays[b])), static_cast<std::size_t>(s));
    for (ray_block& block : rays)
      rt_->task("compare", compare, in(block.y, block.s), inout(p.part(p.projection, block)),
                out(p.part(p.ratio, block)), p.scale().quanta);
    for (int s = 0; s < p.slabs(); ++s) {
      const std::span<std::int64_t> z = p.slab(p.credits, s);
      rt_->task("credit", clear_and_credit, in(p.slab(p.image, s), p.ratio), out(z),
                in(paths, rays), static_cast<std::size_t>(s));
      rt_->allreduce("image", inout(z));
    }
    for (int s = 0; s < p.slabs(); ++s)
      rt_->task("update", update, in(p.slab(p.credits, s)),
                p.sensitivity(setting::distributed, step, s), p.scale().quantum,
                out(p.slab(p.image, s)));
  }

  /// The paths of a list's rays: whenever there is time, for they do not depend on the image.
  void submit_trace(problem& p, int step) {
    std::vector<ray_block>& rays = p.blocks(step);
    std::vector<block_paths>& paths = p.paths(step);
    for (std::size_t b = 0; b < rays.size(); ++b)
      rt_->task(
          "trace",
          [](const ray_block& from, block_paths& to, const problem* of) { of->trace(from, to); },
          in(rays[b]), out(paths[b]), &p);
  }

  plait::environment& env_;
  const options options_;
  std::optional<plait::runtime> rt_;
  std::optional<plait::graph> iteration_;
  plait::ticks started_ = 0;
  int steps_ = 0;
  step_range kept_steps_;
  plait::ledger spent_;
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<tasks>(env, chosen);
}

}  // namespace osem
