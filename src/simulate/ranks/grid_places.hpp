// SPDX-License-Identifier: BSD-3-Clause
/// Places in a grid of ranks: coordinates, and the place that a rank has along each axis.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/simulate/program.hpp>

namespace plait::simulate {

/// Axes that a search for a grid uses; they are the last ones of `grid_extents`.
inline constexpr std::size_t most_axes = 3;

[[nodiscard]] inline grid_extents coordinates_of(std::uint32_t rank, const grid_extents& grid) {
  grid_extents at{};
  for (std::size_t axis = grid.size(); axis-- > 0;) {
    at[axis] = rank % grid[axis];
    rank /= grid[axis];
  }
  return at;
}

/// Place of a rank along an axis.
enum class axis_place : std::uint8_t { alone, first, between, last };

[[nodiscard]] inline axis_place place_along(std::uint32_t coordinate, std::uint32_t extent) {
  if (extent == 1) return axis_place::alone;
  if (coordinate == 0) return axis_place::first;
  return coordinate + 1 == extent ? axis_place::last : axis_place::between;
}

/// Number of a class: the places along all axes.
[[nodiscard]] inline std::uint32_t class_of(std::uint32_t rank, const grid_extents& grid) {
  const grid_extents at = coordinates_of(rank, grid);
  std::uint32_t number = 0;
  for (std::size_t axis = 0; axis < grid.size(); ++axis)
    number = 4 * number + static_cast<std::uint32_t>(place_along(at[axis], grid[axis]));
  return number;
}

/// Number of axes up to the first, from the last, that is used.
[[nodiscard]] inline std::size_t axes_used(const grid_extents& grid) {
  std::size_t axes = grid.size();
  while (axes > 1 && grid[grid.size() - axes] == 1) --axes;
  return axes;
}

/// Returns "2x4", with so many axes.
[[nodiscard]] inline std::string grid_text(const grid_extents& grid, std::size_t axes) {
  std::string text;
  for (std::size_t axis = grid.size() - axes; axis < grid.size(); ++axis) {
    if (!text.empty()) text += 'x';
    text += std::to_string(grid[axis]);
  }
  return text;
}

/// Returns all grids of so many ranks with `axes` axes, of 1 rank or more each.
[[nodiscard]] inline std::vector<grid_extents> grids_with(std::uint32_t ranks, std::size_t axes) {
  std::vector<grid_extents> all{{1, 1, 1, ranks}};
  for (std::size_t more = 1; more < axes; ++more) {
    const std::size_t axis = all.front().size() - 1 - more;
    std::vector<grid_extents> next;
    for (const grid_extents& grid : all) {
      const std::uint32_t rest = grid[axis + 1];
      for (std::uint32_t extent = 1; extent <= rest; ++extent) {
        if (rest % extent != 0) continue;
        next.push_back(grid);
        next.back()[axis] = extent;
        next.back()[axis + 1] = rest / extent;
      }
    }
    all = next;
  }
  return all;
}

}  // namespace plait::simulate
