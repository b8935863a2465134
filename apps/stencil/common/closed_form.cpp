// SPDX-License-Identifier: BSD-3-Clause
#include "closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace plait::stencil {

void closed_form::add(axis a, boundary edge, std::int64_t cells, std::int64_t first,
                      std::int64_t count) {
  const bool periodic = edge == boundary::periodic;
  const double theta = periodic ? 2.0 * std::numbers::pi / static_cast<double>(cells)
                                : std::numbers::pi / static_cast<double>(cells + 1);
  std::vector<double>& values = factor[static_cast<std::size_t>(index_of(a))];
  for (std::int64_t i = first; i < first + count; ++i) {
    // By symmetry a sine's argument is at most π / 2, where it loses no relative accuracy.
    const std::int64_t place = periodic ? std::min(i, cells - i) : std::min(i + 1, cells - i);
    const double angle = theta * static_cast<double>(place);
    values.push_back(periodic ? std::cos(angle) : std::sin(angle));
  }
  // 1 - cos θ = 2 sin²(θ / 2), without cancellation.
  const double half = std::sin(0.5 * theta);
  mu += 2.0 * half * half / 3.0;
}

double closed_form::reached(std::int64_t n) const {
  if (mu <= 1) return -std::expm1(static_cast<double>(n) * std::log1p(-mu));
  return 1.0 - std::pow(1.0 - mu, static_cast<double>(n));
}

}  // namespace plait::stencil
