// SPDX-License-Identifier: BSD-3-Clause
/// The task that computes a piece of a step, and what it says it touches.
#pragma once

#include <cstdint>
#include <span>

#include <plait/plait.hpp>

#include "field.hpp"
#include "kernel.hpp"
#include "tasks/step_times.hpp"

namespace jacobi3d {

/// Part of a step, computed again every `every` steps.
struct piece {
  box cells;
  int step = 0;  ///< that it computes next
  int every = 1;
  int begins = 1;  ///< so many steps begin with it, see step_times; 0 = they have begun before
};

/// v = relax(u) on the cells of `one`, when its accesses allow it.  `one`, the fields and `times`
/// outlive the task.
void submit_relax(plait::runtime& rt, plait::task_name name, plait::priority urgency,
                  const field& u, const field& b, field& v, piece& one, stores how,
                  step_times& times);

/// The bytes from a box's first to its last cell of plane z.  Exact for whole rows; if x is divided
/// they include cells of other tasks, which orders more than necessary but never too little.
template <class Field>
[[nodiscard]] auto cells_of_plane(Field& f, const box& b, std::int64_t z) {
  auto* first = f.at(b.low[axis::x], b.low[axis::y], z);
  return std::span(first, static_cast<std::size_t>(
                              f.at(b.high[axis::x] - 1, b.high[axis::y] - 1, z) + 1 - first));
}

}  // namespace jacobi3d
