// SPDX-License-Identifier: BSD-3-Clause
/// The computation every policy shares: half a Gauss-Seidel step, the cells of one colour.
#pragma once

#include <array>
#include <cstdint>

#include "common/serial_grid.hpp"
#include "domain.hpp"

namespace redblack3d {

/// A block's cells of both colours, with a layer of ghosts around: the unknown and the right-hand
/// side.
struct block_data {
  std::array<plait::view<double, 3>, 2> u;
  std::array<plait::view<const double, 3>, 2> b;
  std::int64_t x_cells = 0;  ///< of the grid
};

/// Floating-point operations of a step for each cell, of either colour: the sum of six neighbours
/// and b are six additions, and a product.
inline constexpr double operations_per_cell = 7;

/// u = (the sum of its six neighbours + b) / 6 for every cell of `cells` that has colour `c`.  What
/// a cell becomes does not depend on how a block is cut into boxes, to the last bit.  All views
/// have the same strides.  Thread-safe for disjoint boxes of one colour.
void relax(const block_data& on, colour c, const box& cells);

/// Returns what a single process computes that sweeps the whole grid, cell by cell, colours side by
/// side in memory as the grid has them: a second opinion on everything else here.  u begins as 0.
[[nodiscard]] plait::stencil::serial_grid serial_sweeps(const std::array<std::int64_t, 3>& cells,
                                                        boundary edge,
                                                        const plait::stencil::serial_grid& b,
                                                        std::int64_t steps);

}  // namespace redblack3d
