// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Passes and messages say what they read and write; iterations are not
// separated, and overlap as far as the memory of those in flight lets them.
#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "common/tasks.hpp"
#include "measure/compare/task_variant.hpp"
#include "variant.hpp"

namespace ft {
namespace {

using plait::in, plait::out, plait::inout;

constexpr index cells_per_piece = index{1} << 16;  // about a millisecond

/// The checksum of an iteration in flight.
struct sums_in_flight {
  std::vector<complex> parts;  ///< of ranges of planes
  complex mine, total;
};

class with_tasks final : public plait::measure::task_variant<problem> {
 public:
  using task_variant::task_variant;

 private:
  plait::measure::task_steps steps_of(problem& p) override {
    tasks_.emplace(p.kernel(), cells_per_piece);
    sums_.assign(p.in_flight.size(), {});
    for (sums_in_flight& one : sums_) one.parts.resize(tasks_->plane_pieces().size());
    const std::size_t each = tasks_->tasks() + tasks_->plane_pieces().size() + 8;
    return {.steps = static_cast<int>(p.in_flight.size()),
            .tasks = each * p.in_flight.size(),
            .submit = [this, &p](plait::runtime& rt, int count) {
              for (int i = 0; i < count; ++i) submit_iteration(rt, p, static_cast<std::size_t>(i));
            }};
  }

  void advance(plait::measure::task_run& run, problem& p, int steps) override {
    tasks_->submit_forward(run.tasks(), p.memory(0));
    run.advance(steps);
  }

  void ended(problem& p, int steps) override {
    const std::size_t last = static_cast<std::size_t>(steps - 1) % p.in_flight.size();
    p.result = p.memory(last).field;
  }

  void submit_iteration(plait::runtime& rt, problem& p, std::size_t i) {
    sums_in_flight& sums = sums_[i];
    std::size_t piece = 0;
    const spectral::transform_memory memory = p.memory(i);
    tasks_->submit_backward(rt, memory, &p.factors(), [&](plait::runtime&, const range& z) {
      submit_part_of_sum(rt, p, memory.field, z, sums.parts[piece++]);
    });
    rt.task(
        "checksum",
        [](std::span<const complex> parts, complex& mine) {
          mine = 0;
          for (const complex& part : parts) mine += part;
        },
        in(std::span(sums.parts)), out(sums.mine));
    rt.reduce("checksum", in(sums.mine), out(sums.total), 0);
    if (p.grid().rank() == 0)
      rt.task(
          "checksum",
          [](const complex& total, std::vector<complex>& all, const problem* of) {
            all.push_back(of->checksum(total));
          },
          in(sums.total), inout(p.sums), &p);
  }

  static void submit_part_of_sum(plait::runtime& rt, problem& p, complex* field, const range& z,
                                 complex& part) {
    const spectral::pencils& g = p.grid();
    const std::span<const complex> some(field + g.field_index(0, g.own_y().low, z.low),
                                        static_cast<std::size_t>(z.size() * g.plane_size()));
    rt.task(
        "checksum",
        [](std::span<const complex>, complex& to, const problem* of, const complex* all,
           range which) { to = of->sum_of(all, which); },
        in(some), out(part), &p, static_cast<const complex*>(field), z);
  }

  std::optional<spectral::transform_tasks> tasks_;
  std::vector<sums_in_flight> sums_;
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<with_tasks>(env, chosen.runtime);
}

}  // namespace ft
