// SPDX-License-Identifier: BSD-3-Clause
#include "block_problem.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace plait::stencil {

using measure::setting;
using measure::verdict;

block_problem::block_problem(domain whole, int rank) : whole_(std::move(whole)), rank_(rank) {}

void block_problem::keep_as_reference() {
  reference_.clear();
  for_each_row([&](const cell_row& row) { reference_.keep(row); });
}

verdict block_problem::check_against_reference() const {
  return reference_.compare(rank_, [&](const auto& visit) { for_each_row(visit); });
}

known_problem::known_problem(domain whole, int rank, int parts)
    : block_problem(std::move(whole), rank), parts_(parts) {}

boundary known_problem::edge_of(setting how) const noexcept {
  return how == setting::distributed ? whole().edge() : boundary::dirichlet;
}

closed_form known_problem::form_of(setting how) const {
  const auto [nx, ny, nz] = whole().cells();
  box<3> own = cells();
  own.low[axis::x] *= parts_;
  own.high[axis::x] = std::min(parts_ * own.high[axis::x], nx);
  const box<3> all(extents<3>(nx, ny, nz));
  return {edge_of(how), how == setting::distributed ? all : own, own};
}

void known_problem::set_right_hand_side(setting how) {
  const closed_form form = form_of(how);
  for_each_row([&](const cell_row& row) {
    double* const b = right_hand_side(row);
    form.each(row, 6.0 * form.mu(), [&](std::int64_t i, double value) { b[i] = value; });
  });
}

double known_problem::error_bound(setting how, std::int64_t steps) const noexcept {
  const double roundings = 8.0 * parts_ * static_cast<double>(steps) + 64.0;
  return (edge_of(how) == boundary::periodic ? 4.0 : 1.0) * roundings * 0.5 *
         std::numeric_limits<double>::epsilon();
}

verdict known_problem::check_closed_form(setting how, std::int64_t steps) const {
  const closed_form form = form_of(how);
  judgement judged{rank(), error_bound(how, steps), edge_of(how) == boundary::dirichlet};
  for_each_row([&](const cell_row& row) {
    const double gone = form.reached(parts_ * (steps - 1) + row.part + 1);
    form.each(row, gone, [&](std::int64_t i, double value) { judged.hold(row, i, value); });
  });
  return judged.found;
}

}  // namespace plait::stencil
