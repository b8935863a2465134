// SPDX-License-Identifier: BSD-3-Clause
#include "domain.hpp"

#include <climits>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace redblack3d {
namespace {

using plait::axis;

std::string count_of(std::int64_t cells, const char* what) {
  return fmt::format("{} {}{}", cells, what, cells == 1 ? "" : "s");
}

/// Errors: usage_error where the grid does not fit the cells.
plait::decomposition_options<3> options_of(const std::array<std::int64_t, 3>& cells, boundary edge,
                                           const plait::process_grid<3>& grid) {
  const bool periodic = edge == boundary::periodic;
  for (const axis a : plait::axes<3>) {
    const std::int64_t along = cells[static_cast<std::size_t>(plait::index_of(a))];
    if (periodic && along % 2 != 0)
      throw plait::usage_error(
          fmt::format("{} along {} cannot be coloured red and black; give an even number",
                      count_of(along, "periodic cell"), plait::name_of(a)));
    if ((a == axis::x ? (along + 1) / 2 : along) < grid.extent(a))
      throw plait::usage_error(
          fmt::format("{} along {} cannot be divided among {} processes (grid {}); every block "
                      "needs at least {}",
                      count_of(along, "cell"), plait::name_of(a), grid.extent(a),
                      plait::to_string(grid), a == axis::x ? "a pair of them" : "1"));
  }
  return {.global = {(cells[0] + 1) / 2, cells[1], cells[2]},
          .grid = grid.dims(),
          .ghosts = 1,
          .periodic = {periodic, periodic, periodic}};
}

/// A block for every `per_block`-th rank.
plait::decomposition<3> blocks_of(const plait::decomposition_options<3>& options,
                                  const plait::process_grid<3>& grid, int per_block) {
  auto blocks = plait::decompose<3>(options, grid.size());
  if (per_block == 1) return blocks;
  std::vector<plait::owned_block<3>> owned;
  for (const box& own : blocks.blocks())
    owned.push_back({own, per_block * static_cast<int>(owned.size())});
  return {options, owned};
}

/// Each node's block cut into those of its ranks.  Precondition: `options` are those of `product`.
plait::decomposition<3> blocks_of(plait::decomposition_options<3> options,
                                  const plait::process_grid<3>& nodes,
                                  const plait::process_grid<3>& within) {
  options.grid = nodes.dims();
  std::vector<plait::owned_block<3>> owned;
  const auto blocks = plait::decompose<3>(options, nodes.size());
  for (const box& node : blocks.blocks())
    for (const box& own : plait::cut(node, within))
      owned.push_back({own, static_cast<int>(owned.size())});
  return {options, owned};
}

plait::process_grid<3> product(const plait::process_grid<3>& nodes,
                               const plait::process_grid<3>& within) {
  auto dims = nodes.dims();
  for (std::size_t a = 0; a < 3; ++a) dims[a] *= within.dims()[a];
  return plait::process_grid<3>(dims);
}

/// Errors: usage_error where a face of the largest block, the first, is no message.
void check_faces(const plait::decomposition<3>& blocks, const plait::process_grid<3>& grid,
                 boundary edge) {
  const plait::extents<3> n = blocks.block(blocks.blocks_of(0).front()).extent();
  // A z face is sent as it lies in memory: ghosts, and less than three cache lines of padding.
  const std::int64_t row = n.along[0] + 2 + 3 * 8;
  const std::array<std::int64_t, 3> values{n.along[1] * n.along[2], n.along[0] * n.along[2],
                                           row * n.along[1]};
  for (const axis a : plait::axes<3>) {
    const std::int64_t face = values[static_cast<std::size_t>(plait::index_of(a))];
    if ((grid.extent(a) > 1 || edge == boundary::periodic) && face > INT_MAX)
      throw plait::usage_error(
          fmt::format("a face of {} values across {} is more than one message can hold; use more "
                      "processes along another axis",
                      face, plait::name_of(a)));
  }
}

}  // namespace

domain::domain(std::array<std::int64_t, 3> cells, boundary edge, int processes,
               std::array<int, 3> grid, int per_block)
    : cells_(cells),
      edge_(edge),
      grid_(plait::process_grid<3>::choose(processes, grid)),
      blocks_(blocks_of(options_of(cells, edge, grid_), grid_, per_block)) {
  check_faces(blocks_, grid_, edge);
}

domain::domain(std::array<std::int64_t, 3> cells, boundary edge,
               const plait::process_grid<3>& nodes, const plait::process_grid<3>& within)
    : cells_(cells),
      edge_(edge),
      grid_(product(nodes, within)),
      blocks_(blocks_of(options_of(cells, edge, grid_), nodes, within)) {
  check_faces(blocks_, grid_, edge);
}

}  // namespace redblack3d
