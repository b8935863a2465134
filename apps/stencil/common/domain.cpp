// SPDX-License-Identifier: BSD-3-Clause
#include "domain.hpp"

#include <climits>
#include <utility>

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

}  // namespace

decomposition_options<3> with_ghosts(const extents<3>& global, boundary edge,
                                     const process_grid<3>& grid) {
  const bool periodic = edge == boundary::periodic;
  return {.global = global,
          .grid = grid.dims(),
          .ghosts = 1,
          .periodic = {periodic, periodic, periodic}};
}

domain::domain(std::array<std::int64_t, 3> cells, boundary edge, int ranks, std::array<int, 3> grid)
    : domain(cells, edge, process_grid<3>::choose(ranks, grid),
             decompose<3>(with_ghosts({cells[0], cells[1], cells[2]}, edge,
                                      process_grid<3>::choose(ranks, grid)),
                          ranks)) {}

domain::domain(std::array<std::int64_t, 3> cells, boundary edge, const process_grid<3>& grid,
               decomposition<3> blocks)
    : cells_(cells), edge_(edge), grid_(grid), blocks_(std::move(blocks)) {
  check_faces(blocks_);
}

}  // namespace plait::stencil
