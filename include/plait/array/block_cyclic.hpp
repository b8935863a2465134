// SPDX-License-Identifier: BSD-3-Clause
/// Blocks of one size dealt to a grid of ranks in turn, as ScaLAPACK deals a matrix: whose a cell
/// is, and where it lies in that rank's own array.  Arithmetic alone.
#pragma once

#include <array>
#include <cstdint>

#include <plait/array/decomposition.hpp>
#include <plait/array/process_grid.hpp>
#include <plait/core/box.hpp>

namespace plait {

/// Along which axis of the grid the next rank is.  With the rows of a matrix along x:
enum class grid_order : std::uint8_t {
  column_major,  ///< along x: the ranks of a process column follow each other (BLACS: "C")
  row_major,     ///< along the last axis: those of a process row do (BLACS: "R")
};

/// Parameters of `block_cyclic`: the domain, its blocks, and the grid of ranks that they are dealt
/// to.
template <int D>
struct block_cyclic_options {
  extents<D> global;  ///< cells along each axis
  extents<D> block;   ///< cells of a block along each axis; the last block may be shorter
  /// Ranks along each axis; 0: chosen.  Where all are given, they may be fewer than the job has.
  std::array<int, D> grid{};
  grid_order order = grid_order::column_major;
};

/// Block i along an axis belongs to place i mod p of the grid's p places along that axis; block 0
/// to place 0.  Ranks that get no block, and ranks beyond the grid, are no error.  A `packed` cell
/// counts the cells of one rank from 0, its blocks pushed together: ScaLAPACK's local index, but
/// from 0.  Thread-safe.  Compiled for 1 to 4 dimensions.  [ScaLAPACK Users' Guide, section 4.3.1]
///
///     plait::block_cyclic<2> deal({.global = {n, n}, .block = {64, 64}, .grid = {2, 3}}, 6);
///     plait::block_array<double, 2> a{plait::decompose(deal), env.rank()};
template <int D>
class block_cyclic {
 public:
  /// Local; the same on all ranks.  Throws usage_error, one line that names the axis, if a size is
  /// below 1 or the grid does not fit the ranks.  Precondition: ranks >= 1.
  block_cyclic(const block_cyclic_options<D>& options, int ranks);

  /// The whole domain: (0, …) to options.global.
  [[nodiscard]] const box<D>& global() const noexcept { return global_; }
  [[nodiscard]] const extents<D>& block() const noexcept { return block_; }
  /// Returns the number of ranks of the grid along each axis.
  [[nodiscard]] const std::array<int, D>& grid() const noexcept { return grid_.dims(); }
  [[nodiscard]] grid_order order() const noexcept { return order_; }
  /// Returns the number of ranks in the grid.
  [[nodiscard]] int ranks() const noexcept { return grid_.size(); }

  /// Returns the place of a rank in the grid, counted from 0 along each axis.  Precondition: 0 <=
  /// rank < ranks().
  [[nodiscard]] std::array<int, D> place_of(int rank) const;
  /// The rank at a place.  Precondition: the place lies in the grid.
  [[nodiscard]] int rank_at(const std::array<int, D>& place) const;

  /// Cells of a rank along each axis; 0 for a rank beyond the grid.  Along one axis: NUMROC.
  /// Precondition: rank >= 0.
  [[nodiscard]] extents<D> packed_extent(int rank) const;
  /// Returns the rank that holds a cell.  Along one axis: INDXG2P.  Precondition: the cell lies in
  /// the domain.
  [[nodiscard]] int rank_of(const point<D>& cell) const;
  /// Returns the place of the cell among the cells of its rank.  Along one axis: INDXG2L.
  /// Precondition: the cell lies in the domain.
  [[nodiscard]] point<D, space::packed> to_packed(const point<D>& cell) const;
  /// Returns the cell of the domain that lies at a place among the cells of `rank`.  Along one
  /// axis: INDXL2G.  Precondition: the place lies in packed_extent(rank).
  [[nodiscard]] point<D> to_global(const point<D, space::packed>& cell, int rank) const;

 private:
  box<D> global_;
  extents<D> block_;
  process_grid<D> grid_;
  grid_order order_;
};

/// The blocks that are dealt, by their corners, x fastest: for arrays, redistribution and gathering
/// as any other decomposition.  No ghosts; `with_ghosts` gives some.  Throws usage_error for more
/// blocks than an int can count.  Cost: n log n in the number of all blocks.
template <int D>
[[nodiscard]] decomposition<D> decompose(const block_cyclic<D>& dealt);

}  // namespace plait
