// SPDX-License-Identifier: BSD-3-Clause
/// Describes what is beyond the grid, and how much memory a block of it takes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <plait/plait.hpp>

namespace plait::stencil {

enum class boundary : std::uint8_t { dirichlet, periodic };
inline constexpr std::array<std::string_view, 2> boundary_names{"dirichlet", "periodic"};

/// Returns what so many arrays of these cells and their ghosts take, in bytes, to within padding.
[[nodiscard]] inline double memory_bytes(const box<3>& cells, int arrays) noexcept {
  const extents<3> n = grow(cells).extent();
  return arrays * static_cast<double>(sizeof(double)) * static_cast<double>(n[axis::x]) *
         static_cast<double>(n[axis::y]) * static_cast<double>(n[axis::z]);
}

}  // namespace plait::stencil
