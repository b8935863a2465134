// SPDX-License-Identifier: BSD-3-Clause
#include "phantom.hpp"

#include <cmath>
#include <numbers>

namespace osem {
namespace {

/// Adds `value` inside; half axes and middle in half widths of the image, turned around z.
struct ellipsoid {
  double value;
  point half_axes;
  point middle;
  double degrees;
};

// With z = 0 these are the ellipses but for the middles of some along z.
constexpr std::array<ellipsoid, 10> head{{
    {1.0, {0.69, 0.92, 0.81}, {0, 0, 0}, 0},
    {-0.8, {0.6624, 0.874, 0.78}, {0, -0.0184, 0}, 0},
    {-0.2, {0.11, 0.31, 0.22}, {0.22, 0, 0}, -18},
    {-0.2, {0.16, 0.41, 0.28}, {-0.22, 0, 0}, 18},
    {0.1, {0.21, 0.25, 0.41}, {0, 0.35, -0.15}, 0},
    {0.1, {0.046, 0.046, 0.05}, {0, 0.1, 0.25}, 0},
    {0.1, {0.046, 0.046, 0.05}, {0, -0.1, 0.25}, 0},
    {0.1, {0.046, 0.023, 0.05}, {-0.08, -0.605, 0}, 0},
    {0.1, {0.023, 0.023, 0.02}, {0, -0.606, 0}, 0},
    {0.1, {0.023, 0.046, 0.02}, {0.06, -0.605, 0}, 0},
}};

bool is_inside(const ellipsoid& e, const point& at, bool is_flat) {
  const double angle = e.degrees * std::numbers::pi / 180;
  const double x = at[0] - e.middle[0], y = at[1] - e.middle[1];
  const double across = (x * std::cos(angle) + y * std::sin(angle)) / e.half_axes[0];
  const double along = (y * std::cos(angle) - x * std::sin(angle)) / e.half_axes[1];
  const double up = is_flat ? 0 : (at[2] - e.middle[2]) / e.half_axes[2];
  return across * across + along * along + up * up <= 1;
}

}  // namespace

std::vector<double> shepp_logan(const image_grid& grid) {
  std::vector<double> image(static_cast<std::size_t>(grid.size()));
  const bool is_flat = grid.cells[2] == 1;
  const auto place = [&](std::int64_t cell, std::size_t axis) {
    return (2.0 * static_cast<double>(cell) + 1.0) / static_cast<double>(grid.cells[axis]) - 1.0;
  };
  std::size_t i = 0;
  for (std::int64_t z = 0; z < grid.cells[2]; ++z)
    for (std::int64_t y = 0; y < grid.cells[1]; ++y)
      for (std::int64_t x = 0; x < grid.cells[0]; ++x, ++i)
        for (const ellipsoid& e : head)
          if (is_inside(e, {place(x, 0), place(y, 1), place(z, 2)}, is_flat)) image[i] += e.value;
  // Terms may cancel, and rounding then leaves values below 0, which are no activity.
  for (double& value : image) value = value < 1e-12 ? 0 : value;
  return image;
}

}  // namespace osem
