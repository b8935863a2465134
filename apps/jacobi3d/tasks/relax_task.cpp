// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/relax_task.hpp"

namespace jacobi3d {
namespace {

using plait::in;
using plait::inout;
using plait::out;

// What the 7-point stencil touches: these cells of v, and of u these and their neighbours.
void declare(auto& computing, const field& u, field& v, const box& cells) {
  const box around = grow(cells, {1, 1, 0});
  computing.also(in(cells_of_plane(u, cells, cells.low[axis::z] - 1)));
  for (std::int64_t z = cells.low[axis::z]; z < cells.high[axis::z]; ++z) {
    computing.also(in(cells_of_plane(u, around, z)));
    computing.also(out(cells_of_plane(v, cells, z)));
  }
  computing.also(in(cells_of_plane(u, cells, cells.high[axis::z])));
}

}  // namespace

void submit_relax(plait::runtime& rt, plait::task_name name, plait::priority urgency,
                  const field& u, const field& b, field& v, piece& one, stores how,
                  step_times& times) {
  const auto compute = [](const field* from, const field* source, field* to, piece& what,
                          stores way, step_times* noted) {
    noted->note(what.step, what.begins);
    what.step += what.every;
    relax(*from, *source, *to, what.cells, way);
  };
  auto computing = rt.task(name, compute, &u, &b, &v, inout(one), how, &times);
  computing.priority(urgency);
  declare(computing, u, v, one.cells);
}

}  // namespace jacobi3d
