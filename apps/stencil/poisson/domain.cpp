// SPDX-License-Identifier: BSD-3-Clause
#include "domain.hpp"

#include <algorithm>

#include "common/cache_tiles.hpp"

namespace poisson {
namespace {

using plait::axis;
using plait::side;

plait::decomposition<3> blocks_of(const std::array<std::int64_t, 3>& cells, boundary edge,
                                  int ranks, const std::array<int, 3>& wanted) {
  const bool periodic = edge == boundary::periodic;
  const auto grid = plait::process_grid<3>::choose(ranks, wanted);
  return plait::decompose<3>({.global = {cells[0], cells[1], cells[2]},
                              .grid = grid.dims(),
                              .ghosts = 1,
                              .periodic = {periodic, periodic, periodic}},
                             ranks);
}

}  // namespace

domain::domain(std::array<std::int64_t, 3> cells, boundary edge, int ranks, std::array<int, 3> grid)
    : cells_(cells), edge_(edge), blocks_(blocks_of(cells, edge, ranks, grid)) {}

std::vector<strip> strips_of(const domain& whole, int rank, std::int64_t cells_per_strip) {
  const int own = whole.block_of(rank);
  const auto has_neighbour = [&](axis a, side s) {
    return whole.blocks().has_neighbour(own, a, s);
  };
  std::vector<strip> result;
  const auto add = [&](const box& rows, bool rim) {
    strip one{.rows = rows, .parts = {rows}, .rim = rim};
    for (const side s : plait::both_sides) {
      if (one.parts[0].empty() || !has_neighbour(axis::x, s)) continue;
      one.parts[s == side::low ? 1 : 2] = layers_inside(one.parts[0], axis::x, s, 1);
      one.parts[0] = shrink(one.parts[0], axis::x, s, 1);
    }
    result.push_back(one);
  };
  const auto add_pieces = [&](const box& cells, bool rim) {
    if (cells.empty()) return;
    const std::int64_t nx = cells.extent(axis::x);
    const std::int64_t in_cache =
        plait::stencil::tile_rows(nx * static_cast<std::int64_t>(sizeof(double)));
    plait::extents<3> largest(nx, in_cache, 1);
    largest[axis::y] = std::min(
        {largest[axis::y], cells.extent(axis::y), std::max<std::int64_t>(1, cells_per_strip / nx)});
    largest[axis::z] = std::max<std::int64_t>(1, cells_per_strip / (nx * largest[axis::y]));
    std::vector<box> pieces = plait::cut_small(cells, largest);
    // Along z within some rows, then the next rows.
    std::ranges::stable_sort(pieces, {}, [](const box& b) { return b.low[axis::y]; });
    for (const box& piece : pieces) add(piece, rim);
  };
  box interior = whole.block(rank);
  for (const axis a : {axis::z, axis::y})
    for (const side s : plait::both_sides) {
      if (interior.empty() || !has_neighbour(a, s)) continue;
      add_pieces(layers_inside(interior, a, s, 1), true);
      interior = shrink(interior, a, s, 1);
    }
  add_pieces(interior, false);
  return result;
}

}  // namespace poisson
