// SPDX-License-Identifier: BSD-3-Clause
#include "grid_options.hpp"

#include "measure/base/session_options.hpp"

namespace plait::stencil {

void grid_options::add_to(measure::command_line& to, const std::string& grid_help) {
  to.option("--size", size, "Cells, as NXxNYxNZ");
  to.option("--grid", grid, grid_help);
}

void grid_options::add_boundary_to(measure::command_line& to) {
  to.option("--boundary", edge, "dirichlet (zero) or periodic");
}

std::array<std::int64_t, 3> grid_options::cells() const {
  return measure::parse_extents("--size", size, 1);
}

std::array<int, 3> grid_options::processes() const {
  return measure::parse_grid("--grid", grid);
}

boundary grid_options::beyond() const {
  return measure::parse_kind<boundary>("--boundary", edge, boundary_names);
}

domain grid_options::over(int ranks) const {
  return {cells(), beyond(), ranks, processes()};
}

measure::json to_json(const domain& whole) {
  return {{"size", whole.cells()},
          {"boundary", boundary_names[static_cast<std::size_t>(whole.edge())]},
          {"grid", whole.grid().dims()}};
}

void check_memory(environment& env, const domain& whole, int arrays) {
  measure::check_memory(env, "--size", memory_bytes(whole.block(0), arrays));
}

}  // namespace plait::stencil
