// SPDX-License-Identifier: BSD-3-Clause
/// A grid of cells, what lies beyond it, and which rank has which block.  Holds no values.
#pragma once

#include <array>
#include <cstdint>

#include <plait/plait.hpp>

#include "boundary.hpp"

namespace plait::stencil {

/// nx by ny by nz cells over a grid of processes, a block with a layer of ghosts for each.
class domain {
 public:
  /// `grid`: processes along each axis, 0 = choose.  Errors: usage_error for a grid that does not
  /// have `ranks` processes, or more than there are cells along an axis; and for a face that has
  /// more values than an MPI count can say.
  domain(std::array<std::int64_t, 3> cells, boundary edge, int ranks, std::array<int, 3> grid = {});
  /// Any blocks; `grid` is that of the ranks that have one.  Errors: usage_error for such a face.
  domain(std::array<std::int64_t, 3> cells, boundary edge, const process_grid<3>& grid,
         decomposition<3> blocks);

  [[nodiscard]] const std::array<std::int64_t, 3>& cells() const noexcept { return cells_; }
  [[nodiscard]] boundary edge() const noexcept { return edge_; }
  [[nodiscard]] const process_grid<3>& grid() const noexcept { return grid_; }
  [[nodiscard]] const decomposition<3>& blocks() const noexcept { return blocks_; }
  /// Precondition of what takes one: the rank has a block.
  [[nodiscard]] int block_of(int rank) const { return blocks_.blocks_of(rank).front(); }
  /// Returns the cells of a rank, without ghosts.
  [[nodiscard]] const box<3>& block(int rank) const { return blocks_.block(block_of(rank)); }

 private:
  std::array<std::int64_t, 3> cells_;
  boundary edge_;
  process_grid<3> grid_;
  decomposition<3> blocks_;
};

/// Returns options of `decompose` for blocks with a layer of ghosts.
[[nodiscard]] decomposition_options<3> with_ghosts(const extents<3>& global, boundary edge,
                                                   const process_grid<3>& grid);

}  // namespace plait::stencil
