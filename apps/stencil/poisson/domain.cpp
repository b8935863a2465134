// SPDX-License-Identifier: BSD-3-Clause
#include "domain.hpp"

#include <algorithm>

#include "common/cache_tiles.hpp"

namespace poisson {

using plait::axis;
using plait::side;

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
    const std::int64_t rows = std::clamp<std::int64_t>(cells_per_strip / nx, 1, in_cache);
    for (const box& piece : plait::cut_in_tiles(cells, {.rows = rows, .cells = cells_per_strip}))
      add(piece, rim);
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
