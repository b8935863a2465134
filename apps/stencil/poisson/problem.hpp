// SPDX-License-Identifier: BSD-3-Clause
/// Poisson's equation on one rank's block: vectors, right-hand side, and what is known of the
/// solution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coefficients.hpp"
#include "common/cell_rows.hpp"
#include "domain.hpp"
#include "measure/verdict.hpp"

namespace poisson {

using plait::measure::setting;

/// A x = b, A the 7-point Laplacian times -h², from x = 0.
///
/// With a zero boundary b = A 1, so that the solution is 1 everywhere.  Where all axes are periodic
/// A has no inverse: it maps constants to 0, and b must add up to 0.  There x* is an integer
/// between -8 and 8 that depends on the cell's place without any pattern, and b = A x*, in which
/// nothing is rounded.  So b adds up to exactly 0, and x is x* but for a constant.
class problem {
 public:
  problem(domain whole, int rank);

  array x, r, p, w;

  [[nodiscard]] const domain& whole() const noexcept { return whole_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] const box& cells() const noexcept { return whole_.block(rank_); }
  [[nodiscard]] const std::vector<strip>& strips() const noexcept { return strips_; }
  [[nodiscard]] values block(array& of) const { return of.block(whole_.block_of(rank_)); }
  [[nodiscard]] const_values block(const array& of) const {
    return of.block(whole_.block_of(rank_));
  }

  /// x = 0, r = b, p = w = 0, ghosts included.
  void reset(setting how);

  [[nodiscard]] double exact(setting how, const plait::point<3>& cell) const noexcept;
  [[nodiscard]] double right_hand_side(setting how, const plait::point<3>& cell) const noexcept;
  /// The smallest eigenvalue of A that is not 0.
  [[nodiscard]] double smallest_eigenvalue(setting how) const noexcept;

  /// Keeps x as what others must give.
  void keep_as_reference();
  /// x against the kept copy, bit for bit: empty, or the first cell that is wrong, in one line.
  [[nodiscard]] std::string differs_from_reference() const;
  /// The largest difference to the kept copy.
  [[nodiscard]] double distance_to_reference() const;

 private:
  domain whole_;
  int rank_;
  std::vector<strip> strips_;
  plait::stencil::kept_cells reference_;
};

/// Memory a rank with so many cells needs with all variants, in bytes, to within padding.
[[nodiscard]] double memory_bytes(const box& cells) noexcept;

/// Holds what one process computes that has the whole grid in one piece of memory and knows nothing
/// of blocks, strips and messages: a second opinion.
struct serial_solution {
  std::int64_t iterations = 0;
  std::vector<double> x;  ///< x fastest
};
[[nodiscard]] serial_solution solve_serially(const problem& of, const stop_rule& stop);

}  // namespace poisson
