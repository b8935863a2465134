// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/tile_shape.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "kernel.hpp"

namespace jacobi3d {
namespace {

// Deeper tiles gain little more (512x512x32 cells, one core, time of a step: 1, 0.81, 0.60 and 0.58
// at 1, 2, 4 and 8 steps), and their last steps wait longer for a neighbour's first.
constexpr int usual_depth = 4;
constexpr int least_depth = 2;

// A tile with fewer rows reads more of its neighbours than of its own.
constexpr std::int64_t least_rows = 4;

// While a wave of `depth` steps passes, so many planes of a tile are in use: of u and v those from
// the wave's front to its tail and one on either side, of b those of the wave.
std::int64_t planes_in_use(int depth) {
  return 2 * (depth + 2) + depth + 1;
}

std::int64_t rows_of_tile(const box& own, int depth, std::int64_t cache_bytes) {
  const std::int64_t cells =
      cache_bytes / static_cast<std::int64_t>(sizeof(double)) / planes_in_use(depth);
  const std::int64_t row = own.extent(axis::x);
  return std::min({cells / row, cells_per_message / row, own.extent(axis::y)});
}

}  // namespace

tile_shape choose_tiles(const plait::decomposition<3>& blocks, int depth,
                        std::int64_t cache_bytes) {
  const plait::process_grid<3>& grid = *blocks.grid();
  const auto [px, py, pz] = grid.dims();
  if (px > 1 || py > 1)
    throw plait::usage_error(
        fmt::format("--variants has tiles, which need processes that divide z alone, not a grid of "
                    "{}x{}x{}; give --grid 1x1x{}",
                    px, py, pz, px * py * pz));
  const box& own = blocks.block(0);  // in x and y as large as every other
  const std::int64_t enough = std::min(least_rows, own.extent(axis::y));
  tile_shape tile{depth != 0 ? depth : usual_depth};
  tile.rows = rows_of_tile(own, tile.depth, cache_bytes);
  if (depth == 0 && tile.rows < enough) {
    tile.depth = least_depth;
    tile.rows = rows_of_tile(own, tile.depth, cache_bytes);
  }
  if (tile.rows < enough)
    throw plait::usage_error(fmt::format(
        "--size has rows of {} cells, too long for tiles of {} steps: {} rows must fit in {} "
        "cells and, {} planes of them, in {} KiB of cache{}",
        own.extent(axis::x), tile.depth, enough, cells_per_message, planes_in_use(tile.depth),
        cache_bytes >> 10, depth > least_depth ? "; give a smaller --time-tile" : ""));
  return tile;
}

}  // namespace jacobi3d
