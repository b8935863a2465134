// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

namespace redblack3d {

using plait::stencil::cell_row;
using plait::stencil::closed_form;

double memory_bytes(const box& cells) noexcept {
  return plait::stencil::memory_bytes(cells, 6);  // two colours of u, b and the reference
}

// Arrays that are made one after another begin at different places in a page: so the four that a
// sweep reads and writes together.
problem::problem(domain whole, int rank)
    : u{array(whole.blocks(), rank), array(whole.blocks(), rank)},
      b{array(whole.blocks(), rank), array(whole.blocks(), rank)},
      whole_(std::move(whole)),
      rank_(rank),
      cells_(whole_.block(rank)) {}

block_data problem::data() noexcept {
  const int own = whole_.block_of(rank_);
  return {
      {u[0].block(own), u[1].block(own)}, {b[0].block(own), b[1].block(own)}, whole_.cells()[0]};
}

closed_form problem::closed_form_of(setting how) const {
  closed_form result;
  const plait::extents<3> n = cells_.extent();
  const std::array own{std::min(2 * n.along[0], whole_.cells()[0] - corner()[0]), n.along[1],
                       n.along[2]};
  const bool distributed = how == setting::distributed;
  for (const plait::axis a : plait::axes<3>) {
    const auto i = static_cast<std::size_t>(plait::index_of(a));
    result.add(a, edge_of(how), distributed ? whole_.cells()[i] : own[i],
               distributed ? corner()[i] : 0, own[i]);
  }
  return result;
}

template <class Visitor>
void problem::for_each_row(Visitor&& visit) const {
  for (const colour c : both_colours)
    plait::for_each_row(cells_, [&](const plait::point<3>& first) {
      const std::int64_t p = offset_of_row(c, first.along[1], first.along[2]);
      const std::int64_t end = std::min(cells_.high.along[0], end_of_row(whole_.cells()[0], p));
      visit(c, cell_row{{2 * first.along[0] + p, first.along[1], first.along[2]},
                        2,
                        u[index_of(c)].block(whole_.block_of(rank_)).at(first),
                        end - first.along[0]});
    });
}

double problem::factor_of_row(const closed_form& form, const cell_row& r) const {
  const auto place = [&](std::size_t a) {
    return static_cast<std::size_t>(r.first.along[a] - corner()[a]);
  };
  return form.factor[2][place(2)] * form.factor[1][place(1)];
}

void problem::reset(setting how) {
  const closed_form form = closed_form_of(how);
  const double scale = 6.0 * form.mu;
  for (array& one : u) one.set_zero();
  for_each_row([&](colour c, const cell_row& r) {
    const double yz = scale * factor_of_row(form, r);
    const std::ptrdiff_t place =
        r.values - u[index_of(c)].block(whole_.block_of(rank_)).at(cells_.low);
    double* values = b[index_of(c)].block(whole_.block_of(rank_)).at(cells_.low) + place;
    for (std::int64_t i = 0; i < r.cells; ++i) values[i] = yz * form.factor[0][place_in_x(r, i)];
  });
}

double problem::error_bound(setting how, std::int64_t steps) const noexcept {
  const double roundings = 16.0 * static_cast<double>(steps) + 64.0;
  return (edge_of(how) == boundary::periodic ? 4.0 : 1.0) * roundings * 0.5 *
         std::numeric_limits<double>::epsilon();
}

verdict problem::check_closed_form(setting how, std::int64_t steps) const {
  const closed_form form = closed_form_of(how);
  const std::array<double, 2> gone{form.reached(2 * steps - 1), form.reached(2 * steps)};
  plait::stencil::judgement judged{rank_, error_bound(how, steps),
                                   edge_of(how) == boundary::dirichlet};
  for_each_row([&](colour c, const cell_row& r) {
    const double yz = gone[index_of(c)] * factor_of_row(form, r);
    judged.hold(r, [&](std::int64_t i) { return yz * form.factor[0][place_in_x(r, i)]; });
  });
  return judged.found;
}

void problem::keep_as_reference() {
  reference_.clear();
  for_each_row([&](colour, const cell_row& r) { reference_.keep(r); });
}

void problem::keep_serial_reference(std::int64_t steps) {
  // The right-hand side as a block has it that is the whole grid.
  problem all(domain(whole_.cells(), whole_.edge(), 1), 0);
  all.reset(setting::distributed);
  std::swap(all.u, all.b);  // to be visited
  const auto [nx, ny, nz] = whole_.cells();
  std::vector<double> right_hand_side(static_cast<std::size_t>(nx * ny * nz));
  const auto place = [nx = nx, ny = ny](const cell_row& r, std::int64_t i) {
    const auto [x, y, z] = r.first.along;
    return static_cast<std::size_t>(x + 2 * i + nx * (y + ny * z));
  };
  all.for_each_row([&](colour, const cell_row& r) {
    for (std::int64_t i = 0; i < r.cells; ++i) right_hand_side[place(r, i)] = r.values[i];
  });
  const std::vector<double> result =
      serial_sweeps(whole_.cells(), whole_.edge(), right_hand_side, steps);
  reference_.clear();
  for_each_row([&](colour, const cell_row& r) {
    for (std::int64_t i = 0; i < r.cells; ++i) reference_.keep(result[place(r, i)]);
  });
}

verdict problem::check_against_reference() const {
  return reference_.compare(rank_, "the reference", [&](const auto& visit) {
    for_each_row([&](colour, const cell_row& r) { visit(r); });
  });
}

}  // namespace redblack3d
