// SPDX-License-Identifier: BSD-3-Clause
/// Poisson's equation on one rank's block: vectors, right-hand side, and what is known of the
/// solution.
#pragma once

#include <cstdint>
#include <vector>

#include "coefficients.hpp"
#include "common/block_problem.hpp"
#include "domain.hpp"
#include "measure/compare/verdict.hpp"

namespace poisson {

using plait::measure::setting;

/// A x = b, A the 7-point Laplacian times -h², from x = 0.
///
/// With a zero boundary b = A 1, so that the solution is 1 everywhere.  Where all axes are periodic
/// A has no inverse: it maps constants to 0, and b must add up to 0.  There x* is an integer
/// between -8 and 8 that depends on the cell's place without any pattern, and b = A x*, in which
/// nothing is rounded.  So b adds up to exactly 0, and x is x* but for a constant.
class problem final : public plait::stencil::block_problem {
 public:
  problem(domain of, int rank);

  array x, r, p, w;

  [[nodiscard]] const std::vector<strip>& strips() const noexcept { return strips_; }

  /// x = 0, r = b, p = w = 0, ghosts included.
  void reset(setting how);

  /// Returns whether the setting's problem is periodic, and the cells that it has.
  [[nodiscard]] bool is_periodic(setting how) const noexcept;
  [[nodiscard]] const box& grid(setting how) const;

  [[nodiscard]] double exact(setting how, const plait::point<3>& cell) const noexcept;
  [[nodiscard]] double right_hand_side(setting how, const plait::point<3>& cell) const noexcept;
  /// The smallest eigenvalue of A that is not 0.
  [[nodiscard]] double smallest_eigenvalue(setting how) const noexcept;

 private:
  void for_each_row(const visitor& visit) const override;

  std::vector<strip> strips_;
};

/// Arrays of a block that a rank needs with all variants: x, r, p, w, the reference, and z, s and q
/// of the pipelined variant.
inline constexpr int arrays_of_a_problem = 8;

/// Holds what one process computes that has the whole grid in one piece of memory and knows nothing
/// of blocks, strips and messages: a second opinion.
struct serial_solution {
  std::int64_t iterations = 0;
  std::vector<double> x;  ///< x fastest
};
[[nodiscard]] serial_solution solve_serially(const problem& of, const stop_rule& stop);

}  // namespace poisson
