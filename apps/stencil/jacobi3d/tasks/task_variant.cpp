// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/task_variant.hpp"

#include <utility>

namespace jacobi3d {
namespace {

class task_variant final : public plait::measure::task_variant<problem> {
 public:
  task_variant(plait::environment& env, const plait::measure::task_options& how, sweep_maker make,
               setting solves)
      : plait::measure::task_variant<problem>(env, how), make_(std::move(make)), solves_(solves) {}

  [[nodiscard]] setting solves() const noexcept override { return solves_; }

 private:
  plait::measure::task_steps steps_of(problem& p) override {
    sweep_ = make_(p);
    return {.steps = sweep_->steps(),
            .tasks = sweep_->tasks(),
            .submit = [this](plait::runtime& rt, int count) { sweep_->submit(rt, count); }};
  }

  // The arrays stay where they are while tasks refer to them: which is which alternates.
  void ended(problem& p, int steps) override {
    if (steps % 2 != 0) std::swap(p.u, p.v);
  }

  sweep_maker make_;
  setting solves_;
  std::unique_ptr<sweep> sweep_;
};

}  // namespace

std::unique_ptr<variant> make_task_variant(plait::environment& env,
                                           const plait::measure::task_options& how,
                                           sweep_maker make, setting solves) {
  return std::make_unique<task_variant>(env, how, std::move(make), solves);
}

}  // namespace jacobi3d
