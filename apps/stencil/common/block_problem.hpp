// SPDX-License-Identifier: BSD-3-Clause
/// Describes what problems on a grid have in common: a rank's block, what its cells must be, and
/// how they are judged.
#pragma once

#include <cstdint>
#include <functional>

#include <plait/plait.hpp>

#include "cell_rows.hpp"
#include "closed_form.hpp"
#include "domain.hpp"
#include "measure/compare/verdict.hpp"

namespace plait::stencil {

/// A rank's block of a domain, and a copy of its result that others have to equal bit for bit.
class block_problem {
 public:
  virtual ~block_problem() = default;

  [[nodiscard]] const domain& whole() const noexcept { return whole_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Returns this rank's cells, without ghosts.
  [[nodiscard]] const box<3>& cells() const { return whole_.block(rank_); }
  /// Returns its cells that need no ghosts, and the others.
  [[nodiscard]] interior_and_rim<3> parts() const {
    return peel(whole_.blocks(), whole_.block_of(rank_));
  }
  /// Returns this rank's block of an array, with ghosts.
  [[nodiscard]] view<double, 3> block(block_array<double, 3>& of) const {
    return of.block(whole_.block_of(rank_));
  }
  [[nodiscard]] view<const double, 3> block(const block_array<double, 3>& of) const {
    return of.block(whole_.block_of(rank_));
  }

  /// Keeps the result as what others must give.
  void keep_as_reference();
  /// Compares the result with the kept copy, every cell, bit for bit.
  [[nodiscard]] measure::verdict check_against_reference() const;

 protected:
  block_problem(domain whole, int rank);

  using visitor = std::function<void(const cell_row&)>;
  /// Visits the rows of the result, in the same order whenever it is called.
  virtual void for_each_row(const visitor& visit) const = 0;

  kept_cells reference_;

 private:
  domain whole_;
  int rank_;
};

/// Poisson's equation, solved from u = 0, with a right-hand side for which everything is known.  u*
/// is an eigenvector of the mean λ of a cell's neighbours (closed_form.hpp), and b = 6 (1 - λ) u*.
/// A step computes all cells at once, or in parts, each from the part before, to the mean of their
/// neighbours plus b / 6.  So where all cells of a part have error e u*, the next gets λ e u*; and
/// what has been computed n-th is u = (1 - λ^n) u*.
///
/// What rounding may do to that: with a zero boundary all terms of (Σ u + b) / 6 are positive, so
/// relative errors are passed on without growth, and each part of a step adds at most 8 roundings
/// (six additions, a product, the constant); closed forms are computed to within 64.  With p parts
/// |u - expected| <= (8 p k + 64) 2^-53 expected after k steps.  Periodic values have both signs,
/// but a mean does not enlarge errors, and no |u|, |b| / 6 is above 2: the same bound, times 4,
/// holds for the absolute error.
class known_problem : public block_problem {
 public:
  /// Checks u after `steps` >= 1 steps, every cell.
  [[nodiscard]] measure::verdict check_closed_form(measure::setting how, std::int64_t steps) const;
  /// Returns the largest error that is no mistake, see above.
  [[nodiscard]] double error_bound(measure::setting how, std::int64_t steps) const noexcept;

 protected:
  /// `parts` of a step: cells of each have every so many x of the grid.
  known_problem(domain whole, int rank, int parts);

  /// Sets b as the setting wants it.
  void set_right_hand_side(measure::setting how);
  /// Returns where b is of a row of u.
  [[nodiscard]] virtual double* right_hand_side(const cell_row& row) = 0;

 private:
  [[nodiscard]] boundary edge_of(measure::setting how) const noexcept;
  [[nodiscard]] closed_form form_of(measure::setting how) const;

  int parts_;
};

}  // namespace plait::stencil
