// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Slabs, rays and sums say what they read and write; nothing else says
// that both ends are pipelined.
#include <algorithm>
#include <memory>
#include <span>

#include <plait/plait.hpp>

#include "measure/compare/task_variant.hpp"
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

class tasks final : public plait::measure::task_variant<problem> {
 public:
  using task_variant::task_variant;

 private:
  /// A larger graph is submitted each time: it would not fit into the in-flight limit.
  static constexpr std::size_t most_recorded = 4000;

  [[nodiscard]] std::size_t tasks_of_an_iteration(const problem& p) const {
    const auto slabs = static_cast<std::size_t>(p.slabs());
    const std::size_t of_a_sum = 8 * static_cast<std::size_t>(env_.size());
    return static_cast<std::size_t>(p.what().subsets) * (slabs * (4 + of_a_sum) + 2);
  }

  plait::measure::task_steps steps_of(problem& p) override {
    step_ = steps_ = 0;
    const std::size_t needed = tasks_of_an_iteration(p);
    // The paths of a list take turns in two places, which an odd number of subsets would swap.
    const bool replayed = !p.is_list() && needed < most_recorded;
    return {.steps = p.what().subsets,
            .tasks = replayed ? needed : 0,
            .replayed = replayed,
            .submit = [this, &p](plait::runtime& rt, int steps) {
              for (int i = 0; i < steps; ++i) submit_step(rt, p);
            }};
  }

  void advance(plait::measure::task_run& run, problem& p, int steps) override {
    step_ = 0;
    steps_ = steps;
    if (p.is_list()) submit_trace(run.tasks(), p, 0);
    run.advance(steps);
  }

  void submit_step(plait::runtime& rt, problem& p) {
    submit_update(rt, p, step_++);
    if (p.is_list() && step_ < steps_) submit_trace(rt, p, step_);
  }

  void submit_update(plait::runtime& rt, problem& p, int step) {
    std::vector<ray_block>& rays = p.blocks(step);
    std::vector<block_paths>& paths = p.paths(step);
    for (int s = 0; s < p.slabs(); ++s)
      for (std::size_t b = 0; b < rays.size(); ++b)
        rt.task("forward", project, in(paths[b], p.slab(p.image, s)),
                inout(p.part(p.projection, rays[b])), static_cast<std::size_t>(s));
    for (ray_block& block : rays)
      rt.task("compare", compare, in(block.y, block.s), inout(p.part(p.projection, block)),
              out(p.part(p.ratio, block)), p.scale().quanta);
    for (int s = 0; s < p.slabs(); ++s) {
      const std::span<std::int64_t> z = p.slab(p.credits, s);
      rt.task("credit", clear_and_credit, in(p.slab(p.image, s), p.ratio), out(z), in(paths, rays),
              static_cast<std::size_t>(s));
      rt.allreduce("image", inout(z));
    }
    for (int s = 0; s < p.slabs(); ++s)
      rt.task("update", update, in(p.slab(p.credits, s)),
              p.sensitivity(setting::distributed, step, s), p.scale().quantum,
              out(p.slab(p.image, s)));
  }

  /// The paths of a list's rays: whenever there is time, for they do not depend on the image.
  void submit_trace(plait::runtime& rt, problem& p, int step) {
    std::vector<ray_block>& rays = p.blocks(step);
    std::vector<block_paths>& paths = p.paths(step);
    for (std::size_t b = 0; b < rays.size(); ++b)
      rt.task(
          "trace",
          [](const ray_block& from, block_paths& to, const problem* of) { of->trace(from, to); },
          in(rays[b]), out(paths[b]), &p);
  }

  int step_ = 0;   ///< the next one to be submitted
  int steps_ = 0;  ///< of the run
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const runtime_options& how) {
  return std::make_unique<tasks>(env, how);
}

}  // namespace osem
