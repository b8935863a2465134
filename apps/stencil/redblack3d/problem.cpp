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

namespace redblack3d {
namespace {

/// One axis: the factors of cells [first, first + count), and 1 - cos θ.
struct factors {
  std::vector<double> values;
  double one_minus_cosine = 0;
};

factors factors_of(boundary edge, std::int64_t cells, std::int64_t first, std::int64_t count) {
  factors result;
  const bool periodic = edge == boundary::periodic;
  const double theta = periodic ? 2.0 * std::numbers::pi / static_cast<double>(cells)
                                : std::numbers::pi / static_cast<double>(cells + 1);
  for (std::int64_t i = first; i < first + count; ++i) {
    // By symmetry the argument of a sine is at most π / 2, where it loses no relative accuracy.
    const std::int64_t place = periodic ? std::min(i, cells - i) : std::min(i + 1, cells - i);
    const double angle = theta * static_cast<double>(place);
    result.values.push_back(periodic ? std::cos(angle) : std::sin(angle));
  }
  // 1 - cos θ = 2 sin²(θ / 2), without cancellation.
  const double half = std::sin(0.5 * theta);
  result.one_minus_cosine = 2.0 * half * half;
  return result;
}

/// 1 - λ^n with λ = 1 - μ, accurate where λ is close to 1.
double reached(double mu, std::int64_t n) {
  if (mu <= 1) return -std::expm1(static_cast<double>(n) * std::log1p(-mu));
  return 1.0 - std::pow(1.0 - mu, static_cast<double>(n));
}

}  // namespace

double memory_bytes(const box& cells) noexcept {
  const plait::extents<3> n = plait::grow(cells).extent();
  // Two colours of u, b and the reference.
  return 6.0 * sizeof(double) * static_cast<double>(n.along[0]) * static_cast<double>(n.along[1]) *
         static_cast<double>(n.along[2]);
}

/// A row of cells of one colour.
struct problem::row {
  colour c;
  plait::point<3> first;
  plait::extents<3> from_corner;  ///< of the block
  std::int64_t p;
  std::int64_t cells;

  [[nodiscard]] std::size_t y() const noexcept {
    return static_cast<std::size_t>(from_corner.along[1]);
  }
  [[nodiscard]] std::size_t z() const noexcept {
    return static_cast<std::size_t>(from_corner.along[2]);
  }
  /// The x of its cell i, from the block's corner.
  [[nodiscard]] std::int64_t x(std::int64_t i) const noexcept { return 2 * i + p; }
};

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

problem::closed_form problem::closed_form_of(setting how) const {
  closed_form result;
  const plait::extents<3> n = cells_.extent();
  const std::array own{std::min(2 * n.along[0], whole_.cells()[0] - corner()[0]), n.along[1],
                       n.along[2]};
  for (std::size_t i = 0; i < 3; ++i) {
    const bool distributed = how == setting::distributed;
    factors along = factors_of(edge_of(how), distributed ? whole_.cells()[i] : own[i],
                               distributed ? corner()[i] : 0, own[i]);
    result.factor[i] = std::move(along.values);
    result.mu += along.one_minus_cosine / 3.0;
  }
  return result;
}

/// Calls visit(row) for every row of both colours.
template <class Visitor>
void problem::for_each_row(Visitor&& visit) const {
  for (const colour c : both_colours)
    plait::for_each_row(cells_, [&](const plait::point<3>& first) {
      const std::int64_t p = offset_of_row(c, first.along[1], first.along[2]);
      const std::int64_t end = std::min(cells_.high.along[0], end_of_row(whole_.cells()[0], p));
      visit(row{c, first, first - cells_.low, p, end - first.along[0]});
    });
}

void problem::reset(setting how) {
  const closed_form form = closed_form_of(how);
  const double scale = 6.0 * form.mu;
  for (array& one : u) one.set_zero();
  for_each_row([&](const row& r) {
    const double yz = scale * form.factor[2][r.z()] * form.factor[1][r.y()];
    double* values = b[index_of(r.c)].block(whole_.block_of(rank_)).at(r.first);
    for (std::int64_t i = 0; i < r.cells; ++i)
      values[i] = yz * form.factor[0][static_cast<std::size_t>(r.x(i))];
  });
}

std::string problem::describe(const row& r, std::int64_t i, double expected, double got) const {
  return fmt::format("rank {}, cell ({}, {}, {}): expected {:.17g}, got {:.17g}", rank_,
                     corner()[0] + r.x(i), r.first.along[1], r.first.along[2], expected, got);
}

const double* problem::values_of(const row& r) const {
  return u[index_of(r.c)].block(whole_.block_of(rank_)).at(r.first);
}

double problem::error_bound(setting how, std::int64_t steps) const noexcept {
  const double roundings = 16.0 * static_cast<double>(steps) + 64.0;
  return (edge_of(how) == boundary::periodic ? 4.0 : 1.0) * roundings * 0.5 *
         std::numeric_limits<double>::epsilon();
}

verdict problem::check_closed_form(setting how, std::int64_t steps) const {
  const closed_form form = closed_form_of(how);
  const std::array<double, 2> gone{reached(form.mu, 2 * steps - 1), reached(form.mu, 2 * steps)};
  const bool relative = edge_of(how) == boundary::dirichlet;
  const double bound = error_bound(how, steps);
  verdict result;
  for_each_row([&](const row& r) {
    const double yz = gone[index_of(r.c)] * form.factor[2][r.z()] * form.factor[1][r.y()];
    const double* got = values_of(r);
    for (std::int64_t i = 0; i < r.cells; ++i) {
      const double expected = yz * form.factor[0][static_cast<std::size_t>(r.x(i))];
      double error = std::abs(got[i] - expected);
      if (relative && expected != 0) error /= expected;
      // What is no number is infinitely wrong: NaN would be lost in a maximum.
      if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
      if (error > bound && result.verified) {
        result.verified = false;
        result.complaint = describe(r, i, expected, got[i]);
      }
      result.max_error = std::max(result.max_error, error);
    }
  });
  return result;
}

void problem::keep_as_reference() {
  reference_.clear();
  for_each_row([&](const row& r) {
    reference_.insert(reference_.end(), values_of(r), values_of(r) + r.cells);
  });
}

void problem::keep_serial_reference(std::int64_t steps) {
  // The right-hand side as a block has it that is the whole grid.
  problem all(domain(whole_.cells(), whole_.edge(), 1), 0);
  all.reset(setting::distributed);
  const block_data whole_data = all.data();
  const auto [nx, ny, nz] = whole_.cells();
  std::vector<double> right_hand_side(static_cast<std::size_t>(nx * ny * nz));
  const auto place = [nx = nx, ny = ny](const row& r, std::int64_t first_x) {
    return static_cast<std::size_t>(first_x + r.p +
                                    nx * (r.first.along[1] + ny * r.first.along[2]));
  };
  all.for_each_row([&](const row& r) {
    const double* values = whole_data.b[index_of(r.c)].at(r.first);
    for (std::int64_t i = 0; i < r.cells; ++i) right_hand_side[place(r, 2 * i)] = values[i];
  });
  const std::vector<double> result =
      serial_sweeps(whole_.cells(), whole_.edge(), right_hand_side, steps);
  reference_.clear();
  for_each_row([&](const row& r) {
    for (std::int64_t i = 0; i < r.cells; ++i)
      reference_.push_back(result[place(r, corner()[0] + 2 * i)]);
  });
}

verdict problem::check_against_reference() const {
  verdict result;
  std::size_t next = 0;
  for_each_row([&](const row& r) {
    const auto count = static_cast<std::size_t>(r.cells);
    PLAIT_EXPECTS(next + count <= reference_.size(), "no reference was kept");
    const double* expected = reference_.data() + next;
    const double* got = values_of(r);
    next += count;
    if (!result.verified || std::memcmp(got, expected, count * sizeof(double)) == 0) return;
    std::int64_t i = 0;
    while (std::memcmp(got + i, expected + i, sizeof(double)) == 0) ++i;
    result = {false, 0, describe(r, i, expected[i], got[i]) + " (not the bits of the reference)"};
  });
  return result;
}

}  // namespace redblack3d
