// SPDX-License-Identifier: BSD-3-Clause
/// The computation every policy shares: half a Gauss-Seidel step, the cells of one colour.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "domain.hpp"

namespace redblack3d {

/// A block's cells of both colours, with a layer of ghosts around: the unknown and the right-hand
/// side.
struct block_data {
  std::array<plait::view<double, 3>, 2> u;
  std::array<plait::view<const double, 3>, 2> b;
  std::int64_t x_cells = 0;  ///< of the grid
};

/// u = (the sum of its six neighbours + b) / 6 for every cell of `cells` that has colour `c`.  What
/// a cell becomes does not depend on how a block is cut into boxes, to the last bit.  All views
/// have the same strides.  Thread-safe for disjoint boxes of one colour.
void relax(const block_data& on, colour c, const box& cells);

/// Rows of a tile in y, such that three planes of it stay in a core's second-level cache.
[[nodiscard]] std::int64_t tile_rows(const block_data& shape);

/// Calls `visit(box)` for pieces of `cells` of about `cells_per_piece` cells, in the order in which
/// one sweep touches memory: along z within a tile, then the next tile.
template <class Visitor>
void for_each_piece(const block_data& shape, const box& cells, std::int64_t cells_per_piece,
                    Visitor&& visit) {
  using plait::axis;
  if (cells.empty()) return;
  const std::int64_t rows = tile_rows(shape);
  box piece = cells;
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

/// What a single process computes that sweeps the whole grid, cell by cell, colours side by side in
/// memory as the grid has them: a second opinion on everything else here.  `b` and the result hold
/// the cells of the grid, x fastest; u begins as 0.
[[nodiscard]] std::vector<double> serial_sweeps(const std::array<std::int64_t, 3>& cells,
                                                boundary edge, const std::vector<double>& b,
                                                std::int64_t steps);

}  // namespace redblack3d
