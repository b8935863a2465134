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
  /// `grid`: processes along each axis, 0 = choose.  `per_block`: the processes are every so many
  /// of the ranks, the others have no block.  Errors: usage_error for a grid that does not have
  /// `processes`, or more than there are cells along an axis; and for a face that has more values
  /// than an MPI count can say.
  domain(std::array<std::int64_t, 3> cells, boundary edge, int processes,
         std::array<int, 3> grid = {}, int per_block = 1);
  /// A grid of nodes, and in the block of each a grid of its processes, which follow each other:
  /// every `per_block`-th rank.  Errors: as above, of the grid of both.
  domain(std::array<std::int64_t, 3> cells, boundary edge, const process_grid<3>& nodes,
         const process_grid<3>& within, int per_block = 1);
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

/// Returns the grid of both: processes of all nodes along each axis.
[[nodiscard]] process_grid<3> product(const process_grid<3>& nodes, const process_grid<3>& within);

/// Cuts the cells of `options` among nodes, a grid that `options` has too, and the cells of each
/// among a grid of processes, which follow each other: every `per_block`-th rank.  Errors:
/// usage_error.  Precondition: along each axis as many cells as processes.
[[nodiscard]] decomposition<3> nested_blocks(const decomposition_options<3>& options,
                                             const process_grid<3>& within, int per_block);

}  // namespace plait::stencil
