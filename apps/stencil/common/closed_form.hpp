// SPDX-License-Identifier: BSD-3-Clause
/// An eigenvector of the mean of a cell's six neighbours: what Jacobi's and Gauss-Seidel's methods
/// make of it is known in closed form.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <plait/plait.hpp>

#include "boundary.hpp"
#include "cell_rows.hpp"

namespace plait::stencil {

/// A product over the axes of sin(θ i), θ = π / (n + 1), i = 1 … n; or, periodic, of cos(θ i),
/// θ = 2 π / n, i = 0 … n - 1.  The mean of a cell's neighbours is λ = Σ cos θ / 3 times the cell.
class closed_form {
 public:
  /// The cells `some` of the grid `all`.  Rows that are asked for lie among them.
  closed_form(boundary edge, const box<3>& all, const box<3>& some);

  /// Returns 1 - λ, without cancellation.
  [[nodiscard]] double mu() const noexcept { return mu_; }
  /// Returns 1 - λ^n, accurate where λ is close to 1.
  [[nodiscard]] double reached(std::int64_t n) const;

  /// Calls use(i, scale times the cell) for each cell of a row.
  template <class Use>
  void each(const cell_row& row, double scale, Use&& use) const {
    const auto of = [&](axis a) { return factor(a, row.first[a] - first_[a]); };
    const double yz = scale * (of(axis::z) * of(axis::y));
    for (std::int64_t i = 0; i < row.cells; ++i)
      use(i, yz * factor(axis::x, row.first[axis::x] - first_[axis::x] + i * row.step));
  }

 private:
  [[nodiscard]] double factor(axis a, std::int64_t place) const {
    return factors_[static_cast<std::size_t>(index_of(a))][static_cast<std::size_t>(place)];
  }

  point<3> first_;
  std::array<std::vector<double>, 3> factors_;  ///< of cells along each axis
  double mu_ = 0;
};

}  // namespace plait::stencil
