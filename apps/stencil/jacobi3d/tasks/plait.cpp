// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Moves of ghosts and pieces of the sweep say which cells they read and
// write; nothing else says what overlaps, and steps are not separated.  Each step sweeps the whole
// block, as base does.
#include "tasks/task_variant.hpp"

namespace jacobi3d {

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return make_task_variant(env, chosen.tasks, make_step_by_step, setting::distributed);
}

}  // namespace jacobi3d
