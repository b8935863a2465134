// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Moves of ghosts and pieces of the sweep say which cells they read and
// write; nothing else says what overlaps, and steps are not separated.  Each step sweeps the whole
// block, as base does.
#include <cstdint>
#include <memory>
#include <vector>

#include "common/message_parts.hpp"
#include "tasks/tasks.hpp"

namespace jacobi3d {
namespace {

[[nodiscard]] plait::ghost_options<double, 3> in_messages_of(std::int64_t cells) {
  return {.cells_per_message = cells, .gaps_travel = true};
}

/// Holds what two steps submit; then u is again where it was.
struct two_steps {
  two_steps(problem& p, setting solves, std::int64_t message)
      : on(p),
        is_isolated(solves == setting::isolated),
        how(stores_for(p.cells())),
        ghosts_of_u(plait::ghosts_of(p.u, in_messages_of(message))),
        ghosts_of_v(plait::ghosts_of(p.v, in_messages_of(message))) {
    const plait::interior_and_rim<3> block = p.parts();
    for (const box& face : block.rim)
      for (const box& part : plait::cut_in_parts(face, 4 * message)) rim.push_back(part);
    interior = plait::cut_in_tiles(block.interior, {.rows = plait::stencil::tile_rows(p.block(p.u)),
                                                    .cells = cells_per_piece});
  }

  void submit(plait::runtime& rt, const plait::move_plan& ghosts, const array& from,
              array& to) const {
    if (!is_isolated) rt.move(ghosts);
    for (const box& cells : interior) submit_relax(rt, false, from, on.b, to, cells, how);
    for (const box& cells : rim) submit_relax(rt, true, from, on.b, to, cells, how);
  }

  problem& on;
  bool is_isolated;
  stores how;
  plait::move_plan ghosts_of_u, ghosts_of_v;
  std::vector<box> interior, rim;
};

plait::measure::task_steps step_by_step(problem& p, setting solves, std::int64_t message) {
  const auto both = std::make_shared<two_steps>(p, solves, message);
  return {.steps = 2,
          .tasks = 2 * (both->interior.size() + both->rim.size() + both->ghosts_of_u.tasks()),
          .submit = [both](plait::runtime& rt, int count) {
            problem& on = both->on;
            both->submit(rt, both->ghosts_of_u, on.u, on.v);
            if (count > 1) both->submit(rt, both->ghosts_of_v, on.v, on.u);
          }};
}

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const plait::runtime_options& how,
                                    setting solves, const plait::measure::known_step& step) {
  const std::int64_t message = plait::stencil::cells_per_message(env, cells_per_message);
  return plait::measure::tasks_of<problem>(
      env, how,
      [solves, message, step](problem& p) {
        plait::measure::task_steps what = step_by_step(p, solves, message);
        if (step) what.step = *step;
        return what;
      },
      swap_if_odd, solves);
}

}  // namespace jacobi3d
