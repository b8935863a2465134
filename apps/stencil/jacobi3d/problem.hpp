// SPDX-License-Identifier: BSD-3-Clause
/// Poisson's equation on one rank's block: data, initial values and the check of what came out.
#pragma once

#include <cstdint>

#include <plait/plait.hpp>

#include "common/cell_rows.hpp"
#include "common/closed_form.hpp"
#include "kernel.hpp"
#include "measure/verdict.hpp"

namespace jacobi3d {

using plait::measure::setting;
using plait::measure::verdict;
using array = plait::block_array<double, 3>;

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
  /// Allocates u, v, b and, for comparisons, one copy of the block.  `blocks` have a layer of
  /// ghosts, and each rank one of them.
  problem(plait::decomposition<3> blocks, int rank);

  array u;  ///< the current iterate
  array v;  ///< the next one
  array b;  ///< the right-hand side

  [[nodiscard]] const plait::decomposition<3>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int block() const noexcept { return block_; }
  /// This rank's cells.
  [[nodiscard]] const box& own() const { return blocks_.block(block_); }
  /// Those that need no ghosts, and the others.
  [[nodiscard]] plait::interior_and_rim<3> parts() const { return plait::peel(blocks_, block_); }
  /// v = relax(u) on these cells, as suits a sweep over all of them.
  void relax(const box& some);

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
  [[nodiscard]] plait::stencil::closed_form closed_form_of(setting how) const;
  [[nodiscard]] double factor_of_row(const plait::stencil::closed_form& form,
                                     const plait::point<3>& first) const;

  plait::decomposition<3> blocks_;
  int rank_;
  int block_;
  stores stores_;
  plait::stencil::kept_cells reference_;
};

/// Memory a rank with a block of this size needs for a problem, in bytes, to within padding.
[[nodiscard]] double memory_bytes(const box& block) noexcept;

}  // namespace jacobi3d
