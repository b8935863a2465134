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
namespace {

extents size_of(const plait::box<3>& block) {
  return block.extent();
}

}  // namespace

double problem::error_bound(setting, std::int64_t steps) noexcept {
  return (8.0 * static_cast<double>(steps) + 64.0) * 0.5 * std::numeric_limits<double>::epsilon();
}

double memory_bytes(const extents& n) noexcept {
  const auto with_ghosts = [](std::int64_t cells) { return static_cast<double>(cells) + 2.0; };
  const double values = with_ghosts(n[axis::x]) * with_ghosts(n[axis::y]) * with_ghosts(n[axis::z]);
  return 4.0 * values * sizeof(double);  // u, v, b and the reference
}

problem::problem(plait::decomposition<3> blocks, int rank)
    : u(size_of(blocks.block(rank))),
      v(u.size(), 1),
      b(u.size(), 2),
      blocks_(std::move(blocks)),
      rank_(rank),
      block_(blocks_.block(rank)) {}

problem::closed_form problem::closed_form_of(setting how) const {
  closed_form result;
  for (const plait::axis a : plait::axes<3>) {
    const std::int64_t own = block_.extent(a);
    const std::int64_t first = how == setting::distributed ? block_.low[a] : 0;
    const std::int64_t cells = how == setting::distributed ? blocks_.global().extent(a) : own;
    const double theta = std::numbers::pi / static_cast<double>(cells + 1);
    std::vector<double>& sine = result.sine[static_cast<std::size_t>(plait::index_of(a))];
    for (std::int64_t i = first + 1; i <= first + own; ++i)
      // By symmetry the argument is at most π / 2, where a sine loses no relative accuracy.
      sine.push_back(std::sin(theta * static_cast<double>(std::min(i, cells + 1 - i))));
    // 1 - cos θ = 2 sin²(θ / 2), without cancellation.
    const double half = std::sin(0.5 * theta);
    result.mu += 2.0 * half * half / 3.0;
  }
  return result;
}

void problem::reset(setting how) {
  const closed_form form = closed_form_of(how);
  const double scale = 6.0 * form.mu;
  u.set_zero();
  v.set_zero();
  const extents& n = size();
  for (std::int64_t z = 0; z < n[axis::z]; ++z)
    for (std::int64_t y = 0; y < n[axis::y]; ++y) {
      const double yz = scale * form.sine[2][static_cast<std::size_t>(z)] *
                        form.sine[1][static_cast<std::size_t>(y)];
      double* row = b.at(0, y, z);
      for (std::int64_t x = 0; x < n[axis::x]; ++x)
        row[x] = yz * form.sine[0][static_cast<std::size_t>(x)];
    }
}

std::string problem::describe(std::int64_t x, std::int64_t y, std::int64_t z, double expected,
                              double got) const {
  return fmt::format("rank {}, cell ({}, {}, {}): expected {:.17g}, got {:.17g}", rank_,
                     block_.low[plait::axis::x] + x, block_.low[plait::axis::y] + y,
                     block_.low[plait::axis::z] + z, expected, got);
}

verdict problem::check_closed_form(setting how, std::int64_t steps) const {
  const closed_form form = closed_form_of(how);
  // 1 - λ^k with λ = 1 - μ, accurate where λ is close to 1.
  const double reached = -std::expm1(static_cast<double>(steps) * std::log1p(-form.mu));
  const double bound = error_bound(how, steps);
  verdict result;
  const extents& n = size();
  for (std::int64_t z = 0; z < n[axis::z]; ++z)
    for (std::int64_t y = 0; y < n[axis::y]; ++y) {
      const double yz = reached * form.sine[2][static_cast<std::size_t>(z)] *
                        form.sine[1][static_cast<std::size_t>(y)];
      const double* row = u.at(0, y, z);
      for (std::int64_t x = 0; x < n[axis::x]; ++x) {
        const double expected = yz * form.sine[0][static_cast<std::size_t>(x)];
        const double difference = std::abs(row[x] - expected);
        double error = expected == 0 ? difference : difference / expected;
        // What is no number is infinitely wrong: NaN would be lost in a maximum.
        if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
        if (error > bound && result.verified) {
          result.verified = false;
          result.complaint = describe(x, y, z, expected, row[x]);
        }
        result.max_error = std::max(result.max_error, error);
      }
    }
  return result;
}

void problem::keep_as_reference() {
  const extents& n = size();
  reference_.clear();
  reference_.reserve(static_cast<std::size_t>(n[axis::x] * n[axis::y] * n[axis::z]));
  for (std::int64_t z = 0; z < n[axis::z]; ++z)
    for (std::int64_t y = 0; y < n[axis::y]; ++y)
      reference_.insert(reference_.end(), u.at(0, y, z), u.at(0, y, z) + n[axis::x]);
}

verdict problem::check_against_reference() const {
  const extents& n = size();
  PLAIT_EXPECTS(
      static_cast<std::int64_t>(reference_.size()) == n[axis::x] * n[axis::y] * n[axis::z],
      "no reference was kept");
  const double* expected = reference_.data();
  for (std::int64_t z = 0; z < n[axis::z]; ++z)
    for (std::int64_t y = 0; y < n[axis::y]; ++y, expected += n[axis::x]) {
      const double* row = u.at(0, y, z);
      if (std::memcmp(row, expected, static_cast<std::size_t>(n[axis::x]) * sizeof(double)) == 0)
        continue;
      std::int64_t x = 0;
      while (std::memcmp(row + x, expected + x, sizeof(double)) == 0) ++x;
      return {false, 0, describe(x, y, z, expected[x], row[x]) + " (not the bits of base)"};
    }
  return {};
}

}  // namespace jacobi3d
