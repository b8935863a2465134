// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include <algorithm>

namespace redblack3d {
namespace {

constexpr double sixth = 1.0 / 6.0;

// One order of additions, whoever computes a cell; the build forbids contraction.  So neither
// vectors nor the place of a box change a bit.
double relaxed(double left, double right, double front, double back, double below, double above,
               double b) {
  return (left + right + front + back + below + above + b) * sixth;
}

// Cell x = 2 i + p has its left neighbour at place i + p - 1 of the other colour's row, and its
// right one at i + p.
void relax_row(const double* __restrict u, const double* __restrict b, double* __restrict v,
               std::int64_t cells, std::int64_t p, std::int64_t stride_y, std::int64_t stride_z) {
  for (std::int64_t i = 0; i < cells; ++i)
    v[i] = relaxed(u[i + p - 1], u[i + p], u[i - stride_y], u[i + stride_y], u[i - stride_z],
                   u[i + stride_z], b[i]);
}

}  // namespace

void relax(const block_data& on, colour c, const box& cells) {
  if (cells.empty()) return;
  const plait::view<double, 3>& v = on.u[index_of(c)];
  const plait::view<double, 3>& u = on.u[index_of(other(c))];
  const plait::view<const double, 3>& b = on.b[index_of(c)];
  const auto [x0, y0, z0] = cells.low.along;
  const auto [x1, y1, z1] = cells.high.along;
  const std::int64_t rows = tile_rows(on);
  for (std::int64_t tile = y0; tile < y1; tile += rows) {
    const std::int64_t end = std::min(tile + rows, y1);
    for (std::int64_t z = z0; z < z1; ++z)
      for (std::int64_t y = tile; y < end; ++y) {
        const std::int64_t p = offset_of_row(c, y, z);
        const plait::point<3> first(x0, y, z);
        relax_row(u.at(first), b.at(first), v.at(first),
                  std::min(x1, end_of_row(on.x_cells, p)) - x0, p, u.stride(plait::axis::y),
                  u.stride(plait::axis::z));
      }
  }
}

std::vector<double> serial_sweeps(const std::array<std::int64_t, 3>& cells, boundary edge,
                                  const std::vector<double>& b, std::int64_t steps) {
  const auto [nx, ny, nz] = cells;
  std::vector<double> u(b.size(), 0.0);
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) -> std::size_t {
    return static_cast<std::size_t>(x + nx * (y + ny * z));
  };
  const auto value = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const bool inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
    if (!inside && edge == boundary::dirichlet) return 0.0;
    return u[at((x + nx) % nx, (y + ny) % ny, (z + nz) % nz)];
  };
  for (std::int64_t half_step = 0; half_step < 2 * steps; ++half_step)
    for (std::int64_t z = 0; z < nz; ++z)
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = (y + z + half_step) % 2; x < nx; x += 2)
          u[at(x, y, z)] =
              relaxed(value(x - 1, y, z), value(x + 1, y, z), value(x, y - 1, z),
                      value(x, y + 1, z), value(x, y, z - 1), value(x, y, z + 1), b[at(x, y, z)]);
  return u;
}

}  // namespace redblack3d
