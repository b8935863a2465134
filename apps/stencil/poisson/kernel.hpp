// SPDX-License-Identifier: BSD-3-Clause
/// The computation all variants share.  Views say which cells; a sum is that of the view's cells in
/// an order that depends on their box alone.  Once `done`, nothing is changed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "coefficients.hpp"
#include "domain.hpp"

namespace poisson {

/// Floating-point operations of an iteration of `base` for each cell: A p takes 7, two inner
/// products and three updates (x, r, p) 2 each.
inline constexpr double operations_per_cell = 7 + 5 * 2;

/// w = A p, where A u = 6 u - the sum of its six neighbours.  p shows the cells of w and what is
/// beside them.
void multiply(const_values p, values w);

/// Sets w = A p and `pw` = p·w.
void product(const_values p, values w, double& pw, const coefficients& c);

/// Multiplies all of a strip, with its three sums; `pw[i]` is that of its part i.
void product_of_strip(const_values p, values w, const strip& cells, std::span<double> pw,
                      const coefficients& c);

/// r -= alpha w; `rr` = r·r.
void shorten(const_values w, values r, double& rr, const coefficients& c);

/// x += alpha p, p = r + beta p, with alpha of the step before.
void turn(const_values r, values x, values p, const coefficients& c);

/// x += alpha p, whatever `done` says: what the last `turn` would have done.
void catch_up(const_values p, values x, const coefficients& c);

[[nodiscard]] double dot(const_values a, const_values b);

/// A sum over cells is that of eight lanes: element i of a row goes to lane i mod 8.
inline constexpr std::size_t lanes_of_a_sum = 8;
/// Sets the lanes of a·b over the cells of b.  Precondition: as many sums as lanes.
void sum_lanes_of(const_values a, const_values b, std::span<double> sums);
/// Returns the sum that lanes make.
[[nodiscard]] constexpr double total_of_lanes(std::span<const double, lanes_of_a_sum> l) noexcept {
  return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}
/// Returns r·r over these strips, in the order in which every variant adds it up.
[[nodiscard]] double square(const_values r, const std::vector<strip>& strips);

/// Pipelined: z = q + beta z, s = w + beta s, p = r + beta p, x += alpha p, r -= alpha s,
/// w -= alpha z; `dots`, of two numbers, are r·r and r·w.
void advance(const_values q, values x, values r, values p, values s, values w, values z,
             std::span<double> dots, const coefficients& c);

}  // namespace poisson
