// SPDX-License-Identifier: BSD-3-Clause
/// Size of the tiles that take several steps while they are in the cache.
#pragma once

#include <cstdint>

#include <plait/plait.hpp>

#include "common/message_parts.hpp"

namespace jacobi3d {

/// Cells of a message between nodes.  A face travels in parts, so that the rim behind the first is
/// computed, and sent on, while the others are still under way: the link does not stand still
/// between two steps.  The answer to a handshake would wait behind bulk data in the socket.
inline constexpr std::int64_t cells_per_message = plait::stencil::unasked_cells;

struct tile_shape {
  int depth = 0;          ///< steps; even
  std::int64_t rows = 0;  ///< in y
};

/// Tiles of `depth` steps (0 = choose), each at least four rows, or all of the block's, in
/// `cache_bytes`.  The same on all ranks that have the same cache.
///
/// Errors: usage_error where blocks have neighbours in x or y (a row of theirs would be needed for
/// every step of a tile before its first has been computed), and where rows are too long.
[[nodiscard]] tile_shape choose_tiles(const plait::decomposition<3>& blocks, int depth,
                                      std::int64_t cache_bytes);

}  // namespace jacobi3d
