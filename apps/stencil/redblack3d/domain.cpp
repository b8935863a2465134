// SPDX-License-Identifier: BSD-3-Clause
#include "domain.hpp"

#include <string>

#include <fmt/format.h>

namespace redblack3d {
namespace {

using arrangement = plait::process_grid<3>;
using plait::axis;

std::string count_of(std::int64_t cells, const char* what) {
  return fmt::format("{} {}{}", cells, what, cells == 1 ? "" : "s");
}

/// Errors: usage_error where the grid does not fit the cells.
void check(const std::array<std::int64_t, 3>& cells, boundary edge, const arrangement& processes) {
  for (const axis a : plait::axes<3>) {
    const std::int64_t along = cells[static_cast<std::size_t>(plait::index_of(a))];
    if (edge == boundary::periodic && along % 2 != 0)
      throw plait::usage_error(
          fmt::format("{} along {} cannot be coloured red and black; give an even number",
                      count_of(along, "periodic cell"), plait::name_of(a)));
    if ((a == axis::x ? (along + 1) / 2 : along) < processes.extent(a))
      throw plait::usage_error(
          fmt::format("{} along {} cannot be divided among {} processes (grid {}); every block "
                      "needs at least {}",
                      count_of(along, "cell"), plait::name_of(a), processes.extent(a),
                      plait::to_string(processes), a == axis::x ? "a pair of them" : "1"));
  }
}

plait::decomposition<3> blocks_of(const std::array<std::int64_t, 3>& cells, boundary edge,
                                  const arrangement& nodes, const arrangement& within,
                                  int per_block) {
  check(cells, edge, plait::stencil::product(nodes, within));
  return plait::stencil::nested_blocks(
      plait::stencil::with_ghosts({(cells[0] + 1) / 2, cells[1], cells[2]}, edge, nodes), within,
      per_block);
}

}  // namespace

domain::domain(std::array<std::int64_t, 3> cells, boundary edge, int processes,
               std::array<int, 3> dims, int per_block)
    : domain(cells, edge, arrangement::choose(processes, dims), arrangement({1, 1, 1}), per_block) {
}

domain::domain(std::array<std::int64_t, 3> cells, boundary edge, const arrangement& nodes,
               const arrangement& within, int per_block)
    : plait::stencil::domain(cells, edge, plait::stencil::product(nodes, within),
                             blocks_of(cells, edge, nodes, within, per_block)) {}

}  // namespace redblack3d
