// SPDX-License-Identifier: BSD-3-Clause
#include "domain.hpp"

#include <climits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace plait::stencil {
namespace {

/// Errors: usage_error where a face of the largest block, the first, is no message.
void check_faces(const decomposition<3>& blocks) {
  const extents<3> n = blocks.block(0).extent();
  for (const axis a : axes<3>) {
    std::int64_t values = n.product() / n[a];
    // A z face is sent as it lies in memory: ghosts, and less than three cache lines of padding.
    if (a == axis::z) values += n[axis::y] * (2 + 3 * 8);
    const bool is_sent =
        blocks.has_neighbour(0, a, side::low) || blocks.has_neighbour(0, a, side::high);
    if (is_sent && values > INT_MAX)
      throw usage_error(
          fmt::format("a face of {} values across {} is more than one message can hold; use more "
                      "processes along another axis",
                      values, name_of(a)));
  }
}

/// Errors: usage_error where the grid has more processes than cells along an axis.
void check_cells(const std::array<std::int64_t, 3>& cells, const process_grid<3>& processes) {
  for (const axis a : axes<3>) {
    const std::int64_t along = cells[static_cast<std::size_t>(index_of(a))];
    if (along < processes.extent(a))
      throw usage_error(fmt::format(
          "{} cell{} along {} cannot be divided among {} processes (grid {})", along,
          along == 1 ? "" : "s", name_of(a), processes.extent(a), to_string(processes)));
  }
}

decomposition<3> blocks_of(const std::array<std::int64_t, 3>& cells, boundary edge,
                           const process_grid<3>& nodes, const process_grid<3>& within,
                           int per_block) {
  if (within.size() > 1) check_cells(cells, product(nodes, within));
  return nested_blocks(with_ghosts({cells[0], cells[1], cells[2]}, edge, nodes), within, per_block);
}

}  // namespace

process_grid<3> product(const process_grid<3>& nodes, const process_grid<3>& within) {
  auto dims = nodes.dims();
  for (std::size_t a = 0; a < 3; ++a) dims[a] *= within.dims()[a];
  return process_grid<3>(dims);
}

decomposition<3> nested_blocks(const decomposition_options<3>& options,
                               const process_grid<3>& within, int per_block) {
  const auto blocks = decompose<3>(options, process_grid<3>(options.grid).size());
  if (within.size() == 1 && per_block == 1) return blocks;
  std::vector<owned_block<3>> owned;
  for (const box<3>& node : blocks.blocks())
    for (const box<3>& own : cut(node, within))
      owned.push_back({own, per_block * static_cast<int>(owned.size())});
  return {options, owned};
}

decomposition_options<3> with_ghosts(const extents<3>& global, boundary edge,
                                     const process_grid<3>& grid) {
  const bool periodic = edge == boundary::periodic;
  return {.global = global,
          .grid = grid.dims(),
          .ghosts = 1,
          .periodic = {periodic, periodic, periodic}};
}

domain::domain(std::array<std::int64_t, 3> cells, boundary edge, int processes,
               std::array<int, 3> grid, int per_block)
    : domain(cells, edge, process_grid<3>::choose(processes, grid), process_grid<3>({1, 1, 1}),
             per_block) {}

domain::domain(std::array<std::int64_t, 3> cells, boundary edge, const process_grid<3>& nodes,
               const process_grid<3>& within, int per_block)
    : domain(cells, edge, product(nodes, within),
             blocks_of(cells, edge, nodes, within, per_block)) {}

domain::domain(std::array<std::int64_t, 3> cells, boundary edge, const process_grid<3>& grid,
               decomposition<3> blocks)
    : cells_(cells), edge_(edge), grid_(grid), blocks_(std::move(blocks)) {
  check_faces(blocks_);
}

}  // namespace plait::stencil
