// SPDX-License-Identifier: BSD-3-Clause
/// Poisson's equation on one rank's block: data, and initial values.
#pragma once

#include <array>
#include <cstdint>

#include <plait/plait.hpp>

#include "common/block_problem.hpp"
#include "domain.hpp"
#include "kernel.hpp"
#include "measure/compare/verdict.hpp"

namespace redblack3d {

using plait::measure::setting;
using plait::measure::verdict;

/// The 7-point discretisation of Poisson's equation on nx by ny by nz cells, zero outside of them
/// or periodic, solved from u = 0 by Gauss-Seidel steps: the red cells, then the black ones.  After
/// k steps u = (1 - λ^(2k-1)) u* on red cells and u = (1 - λ^(2k)) u* on black ones.
class problem final : public plait::stencil::known_problem {
 public:
  /// Allocates both colours of u and b and, for comparisons, one copy of the block.
  problem(const plait::stencil::domain& of, int rank);

  std::array<array, 2> u;  ///< by colour
  std::array<array, 2> b;

  [[nodiscard]] block_data data() noexcept;

  /// u = 0, ghosts included; b as the setting wants it.
  void reset(setting how);

  /// Keeps instead of u what one process gets that sweeps the whole grid.  Every rank does that for
  /// itself: for small grids.
  void keep_serial_reference(std::int64_t steps);

 private:
  void for_each_row(const visitor& visit) const override;
  [[nodiscard]] double* right_hand_side(const plait::stencil::cell_row& row) override;
};

/// Arrays of a block of one colour that a rank needs: two of u, b and the reference each.
inline constexpr int arrays_of_a_problem = 6;

}  // namespace redblack3d
