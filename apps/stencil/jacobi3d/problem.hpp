// SPDX-License-Identifier: BSD-3-Clause
/// Poisson's equation on one rank's block: data, and initial values.
#pragma once

#include <plait/plait.hpp>

#include "common/block_problem.hpp"
#include "kernel.hpp"
#include "measure/compare/verdict.hpp"

namespace jacobi3d {

using plait::measure::setting;
using plait::measure::verdict;
using plait::stencil::domain;
using array = plait::block_array<double, 3>;

/// The 7-point discretisation of Poisson's equation with a zero Dirichlet boundary on nx by ny by
/// nz interior cells, solved by Jacobi's method from u = 0: after k steps u = (1 - λ^k) u* at every
/// cell.
class problem final : public plait::stencil::known_problem {
 public:
  /// Allocates u, v, b and, for comparisons, one copy of the block.
  problem(domain of, int rank);

  array u;  ///< the current iterate
  array v;  ///< the next one
  array b;  ///< the right-hand side

  /// v = relax(u) on these cells, as suits a sweep over all of them.
  void relax(const box& some);
  /// u = v = 0, b as the setting wants it.
  void reset(setting how);

 private:
  void for_each_row(const visitor& visit) const override;
  [[nodiscard]] double* right_hand_side(const plait::stencil::cell_row& row) override;

  stores stores_;
};

/// Arrays of a block that a rank needs: u, v, b and the reference.
inline constexpr int arrays_of_a_problem = 4;

}  // namespace jacobi3d
