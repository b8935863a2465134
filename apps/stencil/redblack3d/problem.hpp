// SPDX-License-Identifier: BSD-3-Clause
/// Poisson's equation on one rank's block: data, initial values and the check of what came out.
#pragma once

#include <array>
#include <cstdint>

#include <plait/plait.hpp>

#include "common/cell_rows.hpp"
#include "common/closed_form.hpp"
#include "domain.hpp"
#include "kernel.hpp"
#include "measure/verdict.hpp"

namespace redblack3d {

using plait::measure::setting;
using plait::measure::verdict;

/// The 7-point discretisation of Poisson's equation on nx by ny by nz cells, zero outside of them
/// or periodic, solved from u = 0 by Gauss-Seidel steps: the red cells, then the black ones.
///
/// The right-hand side is chosen so that everything is known.  u* is a product over the axes of
/// sin(θ i), θ = π / (n + 1), i = 1 … n; or, periodic, of cos(θ i), θ = 2 π / n, i = 0 … n - 1; and
/// b = (6 - 2 Σ cos θ) u*.  The mean of u*'s neighbours at any cell is λ = Σ cos θ / 3 times u*
/// there, so where all cells of one colour have error e u* the other colour gets λ e u*.  From zero
/// (e = -1), k steps later, u = (1 - λ^(2k-1)) u* on red cells and u = (1 - λ^(2k)) u* on black
/// ones.
///
/// What rounding may do to that: with a zero boundary all terms of (Σ u + b) / 6 are positive, so
/// relative errors are passed on without growth, and each half step adds at most 8 roundings;
/// closed forms are computed to within 64.  Hence |u - expected| <= (16 k + 64) 2^-53 expected.
/// Periodic values have both signs, but a mean does not enlarge errors, and no |u|, |b| / 6 is
/// above 2: the same bound, times 4, holds for the absolute error.
class problem {
 public:
  /// Allocates both colours of u and b and, for comparisons, one copy of the block.
  problem(domain whole, int rank);

  std::array<array, 2> u;  ///< by colour
  std::array<array, 2> b;

  [[nodiscard]] const domain& whole() const noexcept { return whole_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// This rank's cells of either colour.
  [[nodiscard]] const box& cells() const noexcept { return cells_; }
  [[nodiscard]] block_data data() noexcept;
  /// Cells that need no ghosts, and the others.
  [[nodiscard]] plait::interior_and_rim<3> parts() const {
    return plait::peel(whole_.blocks(), whole_.block_of(rank_));
  }

  /// u = 0, ghosts included; b as the setting wants it.
  void reset(setting how);

  /// u against the closed form after `steps` >= 1 steps, every cell.
  [[nodiscard]] verdict check_closed_form(setting how, std::int64_t steps) const;
  /// The largest error that is no mistake, see above.
  [[nodiscard]] double error_bound(setting how, std::int64_t steps) const noexcept;

  /// Keeps u as what all policies must give.
  void keep_as_reference();
  /// Instead of u what one process gets that sweeps the whole grid.  Every rank does that for
  /// itself: for small grids.
  void keep_serial_reference(std::int64_t steps);
  /// u against the kept copy, every cell, bit for bit.
  [[nodiscard]] verdict check_against_reference() const;

 private:
  /// Of this block's cells, from its first on and x as the grid counts it.
  [[nodiscard]] plait::stencil::closed_form closed_form_of(setting how) const;
  [[nodiscard]] boundary edge_of(setting how) const noexcept {
    return how == setting::distributed ? whole_.edge() : boundary::dirichlet;
  }
  /// The first cell of this block along each axis, as the grid counts.
  [[nodiscard]] std::array<std::int64_t, 3> corner() const noexcept {
    return {2 * cells_.low.along[0], cells_.low.along[1], cells_.low.along[2]};
  }
  /// Calls visit(colour, row) for every row of u, of both colours.
  template <class Visitor>
  void for_each_row(Visitor&& visit) const;
  [[nodiscard]] double factor_of_row(const plait::stencil::closed_form& form,
                                     const plait::stencil::cell_row& r) const;
  [[nodiscard]] std::size_t place_in_x(const plait::stencil::cell_row& r, std::int64_t i) const {
    return static_cast<std::size_t>(r.first.along[0] + 2 * i - corner()[0]);
  }

  domain whole_;
  int rank_;
  box cells_;
  plait::stencil::kept_cells reference_;  ///< red, then black, rows without ghosts
};

/// Memory a rank with so many cells of one colour needs for a problem, in bytes, to within padding.
[[nodiscard]] double memory_bytes(const box& cells) noexcept;

}  // namespace redblack3d
