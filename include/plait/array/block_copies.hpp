// SPDX-License-Identifier: BSD-3-Clause
/// Lists which cells go from which block to which: into ghosts, or from one decomposition to
/// another. Geometry alone; movers make messages of it.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/array/decomposition.hpp>

namespace plait {

/// Cells that are copied from one block to another.  Around a periodic axis they have other indices
/// where they come from than where they go.
template <int D>
struct block_copy {
  int source = 0;  ///< number of the block that owns them
  int destination =
      0;        ///< number of the block they go to; the source itself around a periodic axis
  box<D> from;  ///< in the source's indices, of whose own cells they are
  extents<D> distance;  ///< from there to where they go

  [[nodiscard]] box<D> to() const noexcept { return shift(from, distance); }
  friend bool operator==(const block_copy&, const block_copy&) = default;
};

/// Says how much of a block's ghosts a stencil reads.
enum class ghost_reach : std::uint8_t {
  faces,  ///< those beside its faces: a 7-point stencil in 3-D
  all,    ///< edges and corners as well: a 27-point stencil
};

/// Lists the copies that fill the ghosts of every block, each ghost cell once.  Ghosts behind a
/// physical boundary stay as they are.  Ghosts may be wider than the blocks beside them, and than a
/// periodic domain.  Sorted by destination, then source, then cells.  Cost: n log n in the number
/// of blocks.
template <int D>
[[nodiscard]] std::vector<block_copy<D>> ghost_copies(const decomposition<D>& blocks,
                                                      ghost_reach reach);

/// Lists the copies that fill ghosts and leave from or arrive at a block of `rank`, in the same
/// order on every rank.  Cost: as if there were no other blocks than the rank's and their
/// neighbours, but for a factor log n.
template <int D>
[[nodiscard]] std::vector<block_copy<D>> ghost_copies(const decomposition<D>& blocks,
                                                      ghost_reach reach, int rank);

/// Lists the copies that bring every cell from its block in `from` (the source) to its block in
/// `to` (the destination).  Own cells only, sorted by destination, then source, then cells.  Throws
/// usage_error if the domains differ.
template <int D>
[[nodiscard]] std::vector<block_copy<D>> redistribution_copies(const decomposition<D>& from,
                                                               const decomposition<D>& to);
/// Lists the copies of a redistribution that leave from or arrive at a block of `rank`.
template <int D>
[[nodiscard]] std::vector<block_copy<D>> redistribution_copies(const decomposition<D>& from,
                                                               const decomposition<D>& to,
                                                               int rank);

/// Cuts each copy as `cut_in_parts` does, in the order of `copies`.  Precondition: cells >= 1.
template <int D>
[[nodiscard]] std::vector<block_copy<D>> in_parts(const std::vector<block_copy<D>>& copies,
                                                  std::int64_t cells);

}  // namespace plait
