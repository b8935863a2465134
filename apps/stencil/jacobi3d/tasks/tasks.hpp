// SPDX-License-Identifier: BSD-3-Clause
/// Describes what the variants of tasks share.  They are of a problem that stays where it is: tasks
/// name its memory, and u and v take turns.
#pragma once

#include <cstdint>
#include <utility>

#include <plait/plait.hpp>

#include "common/cache_tiles.hpp"
#include "kernel.hpp"
#include "measure/compare/task_variant.hpp"
#include "tasks/tile_shape.hpp"
#include "variant.hpp"

namespace jacobi3d {

/// Cells of a piece, about a millisecond: the worker then looks after messages between two of them
/// before the proxy has to interrupt it, and the planes two pieces share are still in the cache.
/// (Compared with twice and half of it, interleaved, on two nodes: the least time over `ideal` of
/// the three.)
inline constexpr std::int64_t cells_per_piece = std::int64_t{1} << 20;

/// Submits to = relax(from) on these cells; of the rim, which others wait for, first.
inline void submit_relax(plait::runtime& rt, bool is_rim, const array& from, const array& b,
                         array& to, const box& some, stores how) {
  rt.task(is_rim ? plait::task_name("rim") : "interior", relax, in(from[star(some)]), in(b[some]),
          out(to[some]), how)
      .priority(is_rim ? plait::high : plait::normal);
}

/// Makes u the result.
inline void swap_if_odd(problem& p, int steps) {
  if (steps % 2 != 0) std::swap(p.u, p.v);
}

}  // namespace jacobi3d
