// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>

#include "common/serial_grid.hpp"

namespace redblack3d {

using plait::stencil::cell_row;

// Arrays that are made one after another begin at different places in a page: so the four that a
// sweep reads and writes together.
problem::problem(const plait::stencil::domain& of, int rank)
    : known_problem(of, rank, 2),
      u{array(of.blocks(), rank), array(of.blocks(), rank)},
      b{array(of.blocks(), rank), array(of.blocks(), rank)} {}

block_data problem::data() noexcept {
  return {{block(u[0]), block(u[1])}, {block(b[0]), block(b[1])}, whole().cells()[0]};
}

void problem::for_each_row(const visitor& visit) const {
  for (const colour c : both_colours)
    plait::for_each_row(cells(), [&](const plait::point<3>& first) {
      const auto [i, y, z] = first.along;
      const std::int64_t p = offset_of_row(c, y, z);
      const std::int64_t end = std::min(cells().high.along[0], end_of_row(whole().cells()[0], p));
      visit({.first = {2 * i + p, y, z},
             .step = 2,
             .values = block(u[index_of(c)]).at(first),
             .cells = end - i,
             .part = static_cast<int>(c)});
    });
}

double* problem::right_hand_side(const cell_row& row) {
  const auto [x, y, z] = row.first.along;
  return block(b[static_cast<std::size_t>(row.part)]).at({x / 2, y, z});
}

void problem::reset(setting how) {
  for (array& one : u) one.set_zero();
  set_right_hand_side(how);
}

void problem::keep_serial_reference(std::int64_t steps) {
  // The right-hand side as a block has it that is the whole grid.
  problem all(domain(whole().cells(), whole().edge(), 1), 0);
  all.reset(setting::distributed);
  plait::stencil::serial_grid right_hand_side(whole().cells(), whole().edge());
  all.for_each_row([&](const cell_row& row) {
    const double* const b_of_row = all.right_hand_side(row);
    right_hand_side.each(row, [&](std::int64_t i, double& value) { value = b_of_row[i]; });
  });
  plait::stencil::serial_grid result =
      serial_sweeps(whole().cells(), whole().edge(), right_hand_side, steps);
  reference_.clear();
  for_each_row([&](const cell_row& row) {
    result.each(row, [&](std::int64_t, double value) { reference_.keep(value); });
  });
}

}  // namespace redblack3d
