// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace jacobi3d {
double problem::error_bound(setting, std::int64_t steps) noexcept {
  return (8.0 * static_cast<double>(steps) + 64.0) * 0.5 * std::numeric_limits<double>::epsilon();
}

double memory_bytes(const box& block) noexcept {
  const plait::extents<3> n = plait::grow(block).extent();
  // u, v, b and the reference.
  return 4.0 * sizeof(double) * static_cast<double>(n[axis::x]) * static_cast<double>(n[axis::y]) *
         static_cast<double>(n[axis::z]);
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

problem::closed_form problem::closed_form_of(setting how) const {
  closed_form result;
  for (const plait::axis a : plait::axes<3>) {
    const std::int64_t count = own().extent(a);
    const std::int64_t first = how == setting::distributed ? own().low[a] : 0;
    const std::int64_t n = how == setting::distributed ? blocks_.global().extent(a) : count;
    const double theta = std::numbers::pi / static_cast<double>(n + 1);
    std::vector<double>& sine = result.sine[static_cast<std::size_t>(plait::index_of(a))];
    for (std::int64_t i = first + 1; i <= first + count; ++i)
      // By symmetry the argument is at most π / 2, where a sine loses no relative accuracy.
      sine.push_back(std::sin(theta * static_cast<double>(std::min(i, n + 1 - i))));
    // 1 - cos θ = 2 sin²(θ / 2), without cancellation.
    const double half = std::sin(0.5 * theta);
    result.mu += 2.0 * half * half / 3.0;
  }
  return result;
}

/// The factor that y and z contribute to the row that begins there.
double problem::factor_of_row(const closed_form& form, const plait::point<3>& first) const {
  const auto place = [&](axis a) { return static_cast<std::size_t>(first[a] - own().low[a]); };
  return form.sine[2][place(axis::z)] * form.sine[1][place(axis::y)];
}

void problem::reset(setting how) {
  const closed_form form = closed_form_of(how);
  const double scale = 6.0 * form.mu;
  u.set_zero();
  v.set_zero();
  const cells values = b.block(block_);
  plait::for_each_row(own(), [&](const plait::point<3>& first) {
    const double yz = scale * factor_of_row(form, first);
    double* row = values.at(first);
    for (const double x : form.sine[0]) *row++ = yz * x;
  });
}

std::string problem::describe(const plait::point<3>& cell, double expected, double got) const {
  return fmt::format("rank {}, cell ({}, {}, {}): expected {:.17g}, got {:.17g}", rank_,
                     cell[axis::x], cell[axis::y], cell[axis::z], expected, got);
}

verdict problem::check_closed_form(setting how, std::int64_t steps) const {
  const closed_form form = closed_form_of(how);
  // 1 - λ^k with λ = 1 - μ, accurate where λ is close to 1.
  const double reached = -std::expm1(static_cast<double>(steps) * std::log1p(-form.mu));
  const double bound = error_bound(how, steps);
  const const_cells values = u.block(block_);
  verdict result;
  plait::for_each_row(own(), [&](plait::point<3> cell) {
    const double yz = reached * factor_of_row(form, cell);
    for (const double x : form.sine[0]) {
      const double expected = yz * x;
      const double got = values[cell];
      const double difference = std::abs(got - expected);
      double error = expected == 0 ? difference : difference / expected;
      // What is no number is infinitely wrong: NaN would be lost in a maximum.
      if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
      if (error > bound && result.verified) {
        result.verified = false;
        result.complaint = describe(cell, expected, got);
      }
      result.max_error = std::max(result.max_error, error);
      ++cell[axis::x];
    }
  });
  return result;
}

void problem::keep_as_reference() {
  const const_cells values = u.block(block_);
  reference_.clear();
  reference_.reserve(static_cast<std::size_t>(own().size()));
  plait::for_each_row(own(), [&](const plait::point<3>& first) {
    const double* row = values.at(first);
    reference_.insert(reference_.end(), row, row + own().extent(axis::x));
  });
}

verdict problem::check_against_reference() const {
  PLAIT_EXPECTS(std::ssize(reference_) == own().size(), "no reference was kept");
  const const_cells values = u.block(block_);
  const auto row_bytes = static_cast<std::size_t>(own().extent(axis::x)) * sizeof(double);
  const double* expected = reference_.data();
  verdict result;
  plait::for_each_row(own(), [&](plait::point<3> cell) {
    const double* row = values.at(cell);
    const double* wanted = std::exchange(expected, expected + own().extent(axis::x));
    if (!result.verified || std::memcmp(row, wanted, row_bytes) == 0) return;
    std::int64_t x = 0;
    while (std::memcmp(row + x, wanted + x, sizeof(double)) == 0) ++x;
    cell[axis::x] += x;
    result = {false, 0, describe(cell, wanted[x], row[x]) + " (not the bits of base)"};
  });
  return result;
}

}  // namespace jacobi3d
