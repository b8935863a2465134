// SPDX-License-Identifier: BSD-3-Clause
/// The messages in which plait's mover exchanges ghosts, whoever drives it.
#pragma once

#include <cstdint>
#include <string>

#include <plait/plait.hpp>

#include "common/message_parts.hpp"
#include "problem.hpp"

namespace redblack3d {

/// Returns the plan that fills the ghosts of one colour.  Between nodes a message has at most
/// `message_cells` cells; 0: a face is one message, as it is where all ranks share a node.
/// [512x512x104, 1 Gbit/s, Total over the better of HAND and MT(1)+!OLAP: of `unasked_cells`
/// MT(1)+OLAP 0.60, +XTRA 0.60, TASK 0.59; whole faces 0.99, 0.94.  TASK, 512x512x80, of two jobs:
/// 362 ms; whole faces 370 and 393; the wire takes 351]
[[nodiscard]] inline plait::move_plan ghosts_of_colour(const plait::environment& env, problem& p,
                                                       colour c, std::int64_t message_cells) {
  return plait::ghosts_of(
      p.u[index_of(c)], {.name = std::string(c == colour::red ? "red" : "black") + " ghosts",
                         .cells_per_message = plait::stencil::cells_per_message(env, message_cells),
                         .gaps_travel = true});
}

}  // namespace redblack3d
