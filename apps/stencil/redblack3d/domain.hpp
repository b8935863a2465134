// SPDX-License-Identifier: BSD-3-Clause
/// The grid, its two colours, and which rank has which cells.  Holds no data.
#pragma once

#include <array>
#include <cstdint>

#include <plait/plait.hpp>

#include "common/domain.hpp"

namespace redblack3d {

/// A cell is red where x + y + z is even.  All neighbours of a cell are of the other colour.
enum class colour : std::uint8_t { red = 0, black = 1 };
inline constexpr std::array both_colours{colour::red, colour::black};
[[nodiscard]] constexpr std::size_t index_of(colour c) noexcept {
  return static_cast<std::size_t>(c);
}
[[nodiscard]] constexpr colour other(colour c) noexcept {
  return c == colour::red ? colour::black : colour::red;
}

using plait::stencil::boundary;

/// Cells of one colour.  Colours are kept apart: an array of one colour has cell (i, y, z) where
/// the grid has x = 2 i + p, p = (y + z + colour) mod 2.  A sweep over one colour then reads and
/// writes memory without gaps, moves half the bytes, and what one colour's ghosts need is a plain
/// box.
using box = plait::box<3>;
using array = plait::block_array<double, 3>;

/// p of a row.
[[nodiscard]] constexpr std::int64_t offset_of_row(colour c, std::int64_t y,
                                                   std::int64_t z) noexcept {
  return (y + z + static_cast<std::int64_t>(c)) & 1;
}
/// Returns the end of a row of that p in an array of one colour, if the grid has `x_cells` along x.
[[nodiscard]] constexpr std::int64_t end_of_row(std::int64_t x_cells, std::int64_t p) noexcept {
  return (x_cells - p + 1) / 2;
}

/// nx by ny by nz cells over a grid of processes; blocks are those of one colour's arrays.
class domain : public plait::stencil::domain {
 public:
  /// `grid`: processes along each axis, 0 = choose.  `per_block`: the processes are every so many
  /// of the ranks, the others have no block.  Errors: usage_error for a grid that does not have
  /// `processes`, or more than there are pairs of cells along x or cells along y or z; for an odd
  /// number of periodic cells, which two colours do not fit; and for a face that has more values
  /// than an MPI count can say.
  domain(std::array<std::int64_t, 3> cells, boundary edge, int processes,
         std::array<int, 3> grid = {}, int per_block = 1);
  /// A grid of nodes, and in the block of each a grid of its processes, which follow each other:
  /// every `per_block`-th rank.  Errors: as above, of the grid of both.
  domain(std::array<std::int64_t, 3> cells, boundary edge, const plait::process_grid<3>& nodes,
         const plait::process_grid<3>& within, int per_block = 1);
};

}  // namespace redblack3d
