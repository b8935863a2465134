// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include <algorithm>

#include "common/cache_tiles.hpp"

namespace redblack3d {
namespace {

constexpr double sixth = 1.0 / 6.0;

// Cell x = 2 i + p has its left neighbour at place i + p - 1 of the other colour's row, and its
// right one at i + p.  One order of additions, whoever computes a cell; the build forbids
// contraction.  So neither vectors nor the place of a box change a bit.
void relax_row(const double* __restrict u, const double* __restrict b, double* __restrict v,
               std::int64_t cells, std::int64_t p, std::int64_t stride_y, std::int64_t stride_z) {
  for (std::int64_t i = 0; i < cells; ++i)
    v[i] = (u[i + p - 1] + u[i + p] + u[i - stride_y] + u[i + stride_y] + u[i - stride_z] +
            u[i + stride_z] + b[i]) *
           sixth;
}

}  // namespace

void relax(const block_data& on, colour c, const box& cells) {
  if (cells.empty()) return;
  const plait::view<double, 3>& v = on.u[index_of(c)];
  const plait::view<double, 3>& u = on.u[index_of(other(c))];
  const plait::view<const double, 3>& b = on.b[index_of(c)];
  const auto [x0, y0, z0] = cells.low.along;
  const auto [x1, y1, z1] = cells.high.along;
  const std::int64_t rows = plait::stencil::tile_rows(v);
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

plait::stencil::serial_grid serial_sweeps(const std::array<std::int64_t, 3>& cells, boundary edge,
                                          const plait::stencil::serial_grid& b,
                                          std::int64_t steps) {
  plait::stencil::serial_grid u(cells, edge);
  for (std::int64_t half_step = 0; half_step < 2 * steps; ++half_step)
    for (std::int64_t z = 0; z < cells[2]; ++z)
      for (std::int64_t y = 0; y < cells[1]; ++y)
        for (std::int64_t x = (y + z + half_step) % 2; x < cells[0]; x += 2)
          u.at(x, y, z) = (u.around(x, y, z) + b.at(x, y, z)) * sixth;
  return u;
}

}  // namespace redblack3d
