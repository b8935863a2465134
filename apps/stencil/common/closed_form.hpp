// SPDX-License-Identifier: BSD-3-Clause
/// An eigenvector of the mean of a cell's six neighbours: what Jacobi's and Gauss-Seidel's methods
/// make of it is known in closed form.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <plait/plait.hpp>

#include "boundary.hpp"

namespace plait::stencil {

/// A product over the axes of sin(θ i), θ = π / (n + 1), i = 1 … n; or, periodic, of cos(θ i),
/// θ = 2 π / n, i = 0 … n - 1.  The mean of a cell's neighbours is λ = Σ cos θ / 3 times the cell.
struct closed_form {
  std::array<std::vector<double>, 3> factor;  ///< of cells along each axis
  double mu = 0;                              ///< 1 - λ, without cancellation

  /// Adds an axis of `cells` cells, of which [first, first + count) are wanted.
  void add(axis a, boundary edge, std::int64_t cells, std::int64_t first, std::int64_t count);

  /// Returns 1 - λ^n, accurate where λ is close to 1.
  [[nodiscard]] double reached(std::int64_t n) const;
};

}  // namespace plait::stencil
