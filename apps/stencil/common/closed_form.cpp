// SPDX-License-Identifier: BSD-3-Clause
#include "closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace plait::stencil {

closed_form::closed_form(boundary edge, const box<3>& all, const box<3>& some) : first_(some.low) {
  const bool periodic = edge == boundary::periodic;
  for (const axis a : axes<3>) {
    const std::int64_t cells = all.extent(a);
    const double theta = periodic ? 2.0 * std::numbers::pi / static_cast<double>(cells)
                                  : std::numbers::pi / static_cast<double>(cells + 1);
    std::vector<double>& values = factors_[static_cast<std::size_t>(index_of(a))];
    for (std::int64_t i = some.low[a] - all.low[a]; i < some.high[a] - all.low[a]; ++i) {
      // By symmetry a sine's argument is at most π / 2, where it loses no relative accuracy.
      const std::int64_t place = periodic ? std::min(i, cells - i) : std::min(i + 1, cells - i);
      const double angle = theta * static_cast<double>(place);
      values.push_back(periodic ? std::cos(angle) : std::sin(angle));
    }
    // 1 - cos θ = 2 sin²(θ / 2), without cancellation.
    const double half = std::sin(0.5 * theta);
    mu_ += 2.0 * half * half / 3.0;
  }
}

double closed_form::reached(std::int64_t n) const {
  if (mu_ <= 1) return -std::expm1(static_cast<double>(n) * std::log1p(-mu_));
  return 1.0 - std::pow(1.0 - mu_, static_cast<double>(n));
}

}  // namespace plait::stencil
