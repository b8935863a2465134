// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Moves of ghosts and pieces of the sweep say which cells they read and
// write; nothing else says what overlaps, and steps are not separated.  Each step sweeps the whole
// block, as base does.
#include <memory>

#include "tasks/task_variant.hpp"

namespace jacobi3d {
namespace {

class whole_steps final : public task_variant {
  using task_variant::task_variant;

  [[nodiscard]] std::unique_ptr<sweep> make_sweep(problem& p) const override {
    return make_step_by_step(p);
  }
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<whole_steps>(env, chosen);
}

}  // namespace jacobi3d
