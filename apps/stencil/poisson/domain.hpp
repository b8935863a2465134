// SPDX-License-Identifier: BSD-3-Clause
/// The grid, and in which pieces a rank computes its block.  Holds no values.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <plait/plait.hpp>

#include "common/domain.hpp"

namespace poisson {

using box = plait::box<3>;
using array = plait::block_array<double, 3>;
using values = plait::view<double, 3>;
using const_values = plait::view<const double, 3>;

using plait::stencil::boundary;
using plait::stencil::domain;

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
