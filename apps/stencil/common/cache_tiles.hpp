// SPDX-License-Identifier: BSD-3-Clause
/// Sizes of tiles of a sweep whose planes are still in a core's second-level cache when the next
/// plane needs them (plait::cut_in_tiles).
#pragma once

#include <algorithm>
#include <cstdint>

#include <plait/plait.hpp>
#include <unistd.h>

namespace plait::stencil {

/// Bytes of a tile: half of that cache is left to everything else.
[[nodiscard]] inline std::int64_t tile_bytes() {
  static const std::int64_t value = [] {
    const std::int64_t l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return std::clamp<std::int64_t>(l2 > 0 ? l2 / 2 : 256 << 10, 64 << 10, 1 << 20);
  }();
  return value;
}

/// Rows of a tile in y, such that three planes of it stay in the cache while it is swept along z.
[[nodiscard]] inline std::int64_t tile_rows(std::int64_t row_bytes) {
  return std::max<std::int64_t>(4, tile_bytes() / (3 * row_bytes));
}
/// Rows of a tile of such a block.
[[nodiscard]] inline std::int64_t tile_rows(const view<const double, 3>& shape) {
  return tile_rows(static_cast<std::int64_t>(shape.stride(axis::y) * sizeof(double)));
}

}  // namespace plait::stencil
