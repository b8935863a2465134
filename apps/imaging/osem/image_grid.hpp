// SPDX-License-Identifier: BSD-3-Clause
/// The image: voxels of side 1 around the origin, x fastest.
#pragma once

#include <array>
#include <cstdint>

namespace osem {

using point = std::array<double, 3>;

struct image_grid {
  std::array<std::int64_t, 3> cells{1, 1, 1};

  [[nodiscard]] std::int64_t size() const noexcept { return cells[0] * cells[1] * cells[2]; }
  /// The axis along which neighbours lie farthest apart in memory.
  [[nodiscard]] std::size_t slowest_axis() const noexcept {
    return cells[2] > 1 ? 2 : cells[1] > 1 ? 1 : 0;
  }
  /// Returns the lower end of the grid along an axis, in voxels.
  [[nodiscard]] double low(std::size_t axis) const noexcept {
    return -0.5 * static_cast<double>(cells[axis]);
  }
};

/// A voxel that a ray crosses, and the length of the ray in it.
struct crossing {
  std::uint32_t pixel = 0;
  double length = 0;
};

}  // namespace osem
