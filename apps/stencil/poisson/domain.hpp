// SPDX-License-Identifier: BSD-3-Clause
/// The grid, its boundary, which rank has which cells, and in which pieces a rank computes them.
/// Holds no values.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <plait/plait.hpp>

#include "common/boundary.hpp"

namespace poisson {

using box = plait::box<3>;
using array = plait::block_array<double, 3>;
using values = plait::view<double, 3>;
using const_values = plait::view<const double, 3>;

using plait::stencil::boundary;
using plait::stencil::boundary_names;

/// nx by ny by nz cells over a grid of processes, a block for each.
class domain {
 public:
  /// `grid`: processes along each axis, 0 = choose.  Errors: usage_error for a grid that does not
  /// have `ranks` processes, or more than there are cells along an axis.
  domain(std::array<std::int64_t, 3> cells, boundary edge, int ranks, std::array<int, 3> grid = {});

  [[nodiscard]] const std::array<std::int64_t, 3>& cells() const noexcept { return cells_; }
  [[nodiscard]] boundary edge() const noexcept { return edge_; }
  [[nodiscard]] const plait::decomposition<3>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] int block_of(int rank) const { return blocks_.blocks_of(rank).front(); }
  [[nodiscard]] const box& block(int rank) const { return blocks_.block(block_of(rank)); }

 private:
  std::array<std::int64_t, 3> cells_;
  boundary edge_;
  plait::decomposition<3> blocks_;
};

/// Some whole rows of a block, which every variant computes as one.  A sum over a block is that of
/// its strips' parts in their order: so all variants add up the same numbers in the same order.
struct strip {
  box rows;
  /// The cells that need no ghosts across x, and at either end of the rows one that does, where
  /// there are neighbours.  Some may be empty.
  std::array<box, 3> parts;
  bool rim = false;  ///< its rows need ghosts across y or z

  /// Returns whether a neighbour needs cells of it.
  [[nodiscard]] bool is_sent() const noexcept {
    return rim || !parts[1].empty() || !parts[2].empty();
  }
};

/// The strips of a rank's block: first the rim, then the interior in the order in which a sweep
/// finds most of what it reads in the cache.  About `cells_per_strip` cells each.
[[nodiscard]] std::vector<strip> strips_of(const domain& whole, int rank,
                                           std::int64_t cells_per_strip);

}  // namespace poisson
