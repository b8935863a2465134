// SPDX-License-Identifier: BSD-3-Clause
/// Poisson's equation on one rank's block: data, initial values and the check of what came out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "field.hpp"
#include "support/verdict.hpp"

namespace jacobi3d {

using plait::app::setting;
using plait::app::verdict;

/// The 7-point discretisation of Poisson's equation with a zero Dirichlet boundary on nx by ny by
/// nz interior cells, solved by Jacobi's method from u = 0.
///
/// The right-hand side is chosen so that everything is known.  With θ_a = π / (n_a + 1), the
/// discrete solution is u*(i, j, k) = Π sin(θ_a i_a), i_a = 1 … n_a, and b = (6 - 2 Σ cos θ_a) u*.
/// u* is an eigenvector of the iteration, with eigenvalue λ = Σ cos θ_a / 3; so after k steps from
/// zero u = (1 - λ^k) u* at every cell.
///
/// What rounding may do to that: all terms of a step, (Σ u + b) / 6, are positive, so relative
/// errors of its inputs are passed on without growth, and each step adds at most 8 roundings (six
/// additions, a product, the constant).  Closed forms are computed without cancellation to within
/// 64 roundings. Hence |u - expected| <= (8 k + 64) 2^-53 expected, for every cell.
class problem {
 public:
  /// Allocates u, v, b and, for comparisons, one copy of the block.
  problem(plait::decomposition<3> blocks, int rank);

  field u;  ///< the current iterate
  field v;  ///< the next one
  field b;  ///< the right-hand side

  [[nodiscard]] const plait::decomposition<3>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] const extents& size() const noexcept { return u.size(); }

  /// u = v = 0, b as the setting wants it.
  void reset(setting how);

  /// u against the closed form after `steps` steps, every cell.
  [[nodiscard]] verdict check_closed_form(setting how, std::int64_t steps) const;

  /// The largest relative error that is no mistake: (8 k + 64) 2^-53, see above.
  [[nodiscard]] static double error_bound(setting how, std::int64_t steps) noexcept;

  /// Keeps u as what other variants must give.
  void keep_as_reference();
  /// u against the kept copy, every cell, bit for bit.
  [[nodiscard]] verdict check_against_reference() const;

 private:
  /// sin(θ i) along each axis for this block's cells, and μ = 1 - λ.
  struct closed_form {
    std::array<std::vector<double>, 3> sine;
    double mu = 0;
  };
  [[nodiscard]] closed_form closed_form_of(setting how) const;
  [[nodiscard]] std::string describe(std::int64_t x, std::int64_t y, std::int64_t z,
                                     double expected, double got) const;

  plait::decomposition<3> blocks_;
  int rank_;
  plait::box<3> block_;
  std::vector<double> reference_;
};

/// Memory a rank with a block of this size needs for a problem, in bytes, to within padding.
[[nodiscard]] double memory_bytes(const extents& n) noexcept;

}  // namespace jacobi3d
