// SPDX-License-Identifier: BSD-3-Clause
/// Matrices that are made, not read.  The same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sparse_matrix.hpp"

namespace plait::sparse {

/// Returns `per_row` nonzeros in each row, at uniformly random columns, values in [-1, 1).  Rows
/// from `first` to `last` of `size`, whichever of them are asked for together.  [the probes'
/// matrix, overlap-probes, section 5.2]  Preconditions: 1 <= per_row <= size.
[[nodiscard]] sparse_matrix uniform_rows(std::int64_t size, std::int64_t per_row,
                                         std::int64_t first, std::int64_t last);

/// Returns the matrix of a 27-point stencil on a grid: 26 on the diagonal, -1 for every neighbour.
/// Symmetric, positive definite.  [HPCG]
[[nodiscard]] sparse_matrix stencil_27(const std::array<std::int64_t, 3>& points);

/// Returns a matrix as networks have it: the number of a row's nonzeros, and of a column's, falls
/// as a power of its rank among all, about `per_row` on average.  A few rows and columns are dense,
/// many columns are empty.  Rows and preconditions: as `uniform_rows`.
[[nodiscard]] sparse_matrix power_law_rows(std::int64_t size, std::int64_t per_row,
                                           std::int64_t first, std::int64_t last);

}  // namespace plait::sparse
