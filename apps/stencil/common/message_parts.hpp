// SPDX-License-Identifier: BSD-3-Clause
/// Sizes of the messages in which tasks send ghosts.
#pragma once

#include <cstdint>

#include <plait/plait.hpp>

namespace plait::stencil {

/// Cells of a message that Open MPI sends over TCP without asking the receiver first: less than 64
/// KiB.  A look that comes late then costs nothing until the receiver needs them.
inline constexpr std::int64_t unasked_cells = std::int64_t{15} << 9;

/// As good as no limit: more cells than a face has.
inline constexpr std::int64_t whole_faces = std::int64_t{1} << 48;

/// Returns the greatest number of cells of a message.  Between nodes a face travels in parts of
/// `between_nodes` cells, where all ranks share a node it travels whole: memory gains nothing by
/// parts, and each costs a task and looks at it.  The same on every rank.  [Jacobi3D, plait over
/// olap, shared memory, 256x256x128: one job in parts of 7.5 Ki cells 1.02, four with whole faces
/// 0.97 to 1.02]
[[nodiscard]] inline std::int64_t cells_per_message(const environment& env,
                                                    std::int64_t between_nodes) {
  return env.node_size() == env.size() ? whole_faces : between_nodes;
}

}  // namespace plait::stencil
