// SPDX-License-Identifier: BSD-3-Clause
/// The computation every variant shares: one Jacobi step on a box of cells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "field.hpp"

namespace jacobi3d {

/// How v is written: past the caches, unless the fields fit in them, or into them, for one who
/// reads it soon.
enum class stores : std::uint8_t { by_size, cached };

/// v = (the sum of u's six neighbours + b) / 6 for every cell of `cells`.  What a cell becomes does
/// not depend on how a block is cut into boxes, to the last bit.  The three fields have the same
/// shape and u is not v.  Thread-safe for disjoint boxes.
void relax(const field& u, const field& b, field& v, const box& cells,
           stores how = stores::by_size);

/// Bytes of a tile: what may be kept in a core's second-level cache beside everything else.
[[nodiscard]] std::int64_t tile_bytes();

/// Rows of a tile in y, such that three planes of it stay in a core's second-level cache while the
/// tile is swept along z.
[[nodiscard]] std::int64_t tile_rows(const field& shape);

/// Calls `visit(box)` for pieces of `cells` of about `cells_per_piece` cells, in the order in which
/// one sweep touches memory: along z within a tile, then the next tile.  Consecutive pieces share
/// two planes in cache, so a sweep cut so costs no more than `relax` on the whole.
template <class Visitor>
void for_each_piece(const field& shape, const box& cells, std::int64_t cells_per_piece,
                    Visitor&& visit) {
  if (cells.empty()) return;
  const std::int64_t rows = tile_rows(shape);
  for (std::int64_t y = cells.low[axis::y]; y < cells.high[axis::y]; y += rows) {
    box piece = cells;
    piece.low[axis::y] = y;
    piece.high[axis::y] = std::min(y + rows, cells.high[axis::y]);
    const std::int64_t plane =
        (piece.high[axis::x] - piece.low[axis::x]) * (piece.high[axis::y] - piece.low[axis::y]);
    const std::int64_t thickness = std::max<std::int64_t>(1, cells_per_piece / plane);
    for (std::int64_t z = cells.low[axis::z]; z < cells.high[axis::z]; z += thickness) {
      piece.low[axis::z] = z;
      piece.high[axis::z] = std::min(z + thickness, cells.high[axis::z]);
      visit(std::as_const(piece));
    }
  }
}

/// Bytes a step must move for each cell, as STREAM counts: u and b read, v written.  (A write that
/// first reads its cache line moves 8 more, in STREAM as here.)
inline constexpr double bytes_per_cell = 24;

/// STREAM's triad a = b + s c on the memory of three fields of this shape, in bytes a second as
/// STREAM counts (24 a value): the best of `repeats`, with and without streaming stores.  [McCalpin
/// 1995]
[[nodiscard]] double stream_triad_bytes_per_s(field& a, const field& b, const field& c,
                                              int repeats);

}  // namespace jacobi3d
