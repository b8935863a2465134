// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Passes and messages say what they read and write; one transform there
// and back is recorded and replayed.
#include <memory>
#include <optional>

#include <plait/plait.hpp>

#include "common/tasks.hpp"
#include "measure/compare/task_variant.hpp"
#include "variant.hpp"

namespace fft3d {
namespace {

constexpr index cells_per_piece = index{1} << 16;  // about a millisecond

class with_tasks final : public plait::measure::task_variant<problem> {
  using task_variant::task_variant;

  plait::measure::task_steps steps_of(problem& p) override {
    tasks_.emplace(p.kernel(), cells_per_piece);
    return {.tasks = 2 * tasks_->tasks(), .submit = [this, &p](plait::runtime& rt, int count) {
              for (int step = 0; step < count; ++step) submit(rt, p);
            }};
  }

  void submit(plait::runtime& rt, problem& p) {
    tasks_->submit_forward(rt, p.where.all());
    tasks_->submit_backward(rt, p.where.all(), &p.normalising());
  }

  std::optional<spectral::transform_tasks> tasks_;
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<with_tasks>(env, chosen);
}

}  // namespace fft3d
