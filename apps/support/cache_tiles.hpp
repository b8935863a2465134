// SPDX-License-Identifier: BSD-3-Clause
/// The order in which a sweep over a block touches memory, so that planes are still in a core's
/// second-level cache when the next one needs them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <plait/plait.hpp>
#include <unistd.h>

namespace plait::app {

/// Bytes of a tile: half of that cache is left to everything else.
[[nodiscard]] inline std::int64_t tile_bytes() {
  static const std::int64_t value = [] {
    const std::int64_t l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return std::clamp<std::int64_t>(l2 > 0 ? l2 / 2 : 256 << 10, 64 << 10, 1 << 20);
  }();
  return value;
}

/// Rows of a tile in y, such that three planes of it stay in the cache while it is swept along z.
[[nodiscard]] inline std::int64_t tile_rows(std::int64_t row_bytes) {
  return std::max<std::int64_t>(4, tile_bytes() / (3 * row_bytes));
}

/// Calls `visit(box)` for pieces of `cells` of about `cells_per_piece` cells, in the order in which
/// one sweep touches memory: along z within a tile of so many `rows`, then the next tile.
/// Consecutive pieces share two planes in cache, so a sweep cut so costs no more than one at once.
template <class Visitor>
void for_each_piece(const box<3>& cells, std::int64_t rows, std::int64_t cells_per_piece,
                    Visitor&& visit) {
  if (cells.empty()) return;
  box<3> piece = cells;
  for (std::int64_t y = cells.low[axis::y]; y < cells.high[axis::y]; y += rows) {
    piece.low[axis::y] = y;
    piece.high[axis::y] = std::min(y + rows, cells.high[axis::y]);
    const std::int64_t plane = cells.extent(axis::x) * (piece.high[axis::y] - y);
    const std::int64_t thickness = std::max<std::int64_t>(1, cells_per_piece / plane);
    for (std::int64_t z = cells.low[axis::z]; z < cells.high[axis::z]; z += thickness) {
      piece.low[axis::z] = z;
      piece.high[axis::z] = std::min(z + thickness, cells.high[axis::z]);
      visit(std::as_const(piece));
    }
  }
}

}  // namespace plait::app
