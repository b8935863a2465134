// SPDX-License-Identifier: BSD-3-Clause
/// Separates the cells of a block that need no neighbour's cells from its rim, and shares the rim
/// fairly among workers.  KeLP's annulus.
#pragma once

#include <span>
#include <vector>

#include <plait/array/decomposition.hpp>

namespace plait {

/// Returns the own cells of a block.
template <int D>
struct interior_and_rim {
  box<D> interior;          ///< no cell of it is next to a neighbour's; may be empty
  std::vector<box<D>> rim;  ///< disjoint, none empty: all other own cells
};

/// Peels the faces that have a neighbour, as thick as the ghosts, off a block: those across the
/// slowest axis first, since they lie in memory as one piece.  Faces at a physical boundary stay
/// with the interior.
template <int D>
[[nodiscard]] interior_and_rim<D> peel(const decomposition<D>& blocks, int id);

/// Computes the cost of a box in units of a cell in the middle of a long row: its cells, and
/// `per_row` for every row along x.  A face across x has rows as long as the ghosts are wide.  Each
/// such row fetches a cache line for every array and starts a loop, for a few cells.  12 is
/// measured: 7-point stencil, blocks of 256³ and 400³ doubles, faces 1 and 2 cells thick
/// (micro/arrays).
struct row_cost {
  double per_row = 12;

  template <int D>
  [[nodiscard]] double operator()(const box<D>& b) const noexcept {
    return static_cast<double>(b.size()) + per_row * static_cast<double>(b.rows());
  }
};

/// Shares boxes among `workers`: each gets boxes of nearly the same cost.  Boxes of short rows,
/// whose cost is the least certain, are cut into a piece for each worker; the others are cut where
/// a worker has had its share.  Rows are never cut.  A worker may get nothing if there are fewer
/// rows than workers.  Precondition: workers >= 1.
template <int D>
[[nodiscard]] std::vector<std::vector<box<D>>> shared_out(std::span<const box<D>> boxes,
                                                          int workers, const row_cost& cost = {});

}  // namespace plait
