// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <limits>
#include <utility>

#include <plait/plait.hpp>

namespace jacobi3d {

using plait::stencil::for_each_cell_row;

double problem::error_bound(setting, std::int64_t steps) noexcept {
  return (8.0 * static_cast<double>(steps) + 64.0) * 0.5 * std::numeric_limits<double>::epsilon();
}

double memory_bytes(const box& block) noexcept {
  return plait::stencil::memory_bytes(block, 4);  // u, v, b and the reference
}

// Arrays that are made one after another begin at different places in a page: so the three that a
// sweep reads and writes together.
problem::problem(plait::decomposition<3> blocks, int rank)
    : u(blocks, rank),
      v(blocks, rank),
      b(blocks, rank),
      blocks_(std::move(blocks)),
      rank_(rank),
      block_(blocks_.blocks_of(rank).front()),
      stores_(stores_for(own())) {
  for (const axis a : plait::axes<3>)
    PLAIT_EXPECTS(blocks_.ghosts()[a] == 1, plait::to_string(blocks_.ghosts()));
}

void problem::relax(const box& some) {
  jacobi3d::relax(u.block(block_), b.block(block_), v[some], stores_);
}

plait::stencil::closed_form problem::closed_form_of(setting how) const {
  plait::stencil::closed_form result;
  const bool distributed = how == setting::distributed;
  for (const axis a : plait::axes<3>) {
    const std::int64_t count = own().extent(a);
    result.add(a, plait::stencil::boundary::dirichlet,
               distributed ? blocks_.global().extent(a) : count, distributed ? own().low[a] : 0,
               count);
  }
  return result;
}

/// Returns the factor that y and z contribute to the row that begins there.
double problem::factor_of_row(const plait::stencil::closed_form& form,
                              const plait::point<3>& first) const {
  const auto place = [&](axis a) { return static_cast<std::size_t>(first[a] - own().low[a]); };
  return form.factor[2][place(axis::z)] * form.factor[1][place(axis::y)];
}

void problem::reset(setting how) {
  const plait::stencil::closed_form form = closed_form_of(how);
  const double scale = 6.0 * form.mu;
  u.set_zero();
  v.set_zero();
  const cells values = b.block(block_);
  plait::for_each_row(own(), [&](const plait::point<3>& first) {
    const double yz = scale * factor_of_row(form, first);
    double* row = values.at(first);
    for (const double x : form.factor[0]) *row++ = yz * x;
  });
}

verdict problem::check_closed_form(setting how, std::int64_t steps) const {
  const plait::stencil::closed_form form = closed_form_of(how);
  const double reached = form.reached(steps);
  plait::stencil::judgement judged{rank_, error_bound(how, steps), true};
  for_each_cell_row(u.block(block_), own(), [&](const plait::stencil::cell_row& row) {
    const double yz = reached * factor_of_row(form, row.first);
    judged.hold(row,
                [&](std::int64_t i) { return yz * form.factor[0][static_cast<std::size_t>(i)]; });
  });
  return judged.found;
}

void problem::keep_as_reference() {
  reference_.clear();
  for_each_cell_row(u.block(block_), own(), [&](const auto& row) { reference_.keep(row); });
}

verdict problem::check_against_reference() const {
  return reference_.compare(
      rank_, "base", [&](const auto& visit) { for_each_cell_row(u.block(block_), own(), visit); });
}

}  // namespace jacobi3d
