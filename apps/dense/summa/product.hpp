// SPDX-License-Identifier: BSD-3-Clause
/// Describes what is multiplied, which of the three matrices stays where it is, and in which steps.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/blas.hpp"
#include "common/dealt_axis.hpp"
#include "common/mesh.hpp"

namespace summa {

using plait::dense::dealt_axis;
using plait::dense::grid_shape;
using plait::dense::op;

/// Kinds of entries.  Sums of whole numbers are exact, so every order of additions gives the same
/// bits.
enum class entries : std::uint8_t { integers, random };

/// C = alpha op(A) op(B) + beta C, with op(A) m x k and op(B) k x n.
struct product {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  op of_a = op::none;
  op of_b = op::none;
  double alpha = 1;
  double beta = 0;
  /// Rows and columns of the blocks that matrices are dealt in; 0: one block a process.
  std::int64_t block = 0;
  std::int64_t panel = 128;  ///< the widest panel of a step
  entries kind = entries::integers;
};

/// The matrix that is not moved.  The other two are: as panels that are broadcast, or, if C is one
/// of them, as partial sums that are reduced.  [van de Geijn and Watts 1997]
enum class form : std::uint8_t { stationary_c, stationary_a, stationary_b };
inline constexpr std::string_view form_names[] = {"C", "A", "B"};

/// A matrix on the grid: its rows are dealt to process rows, its columns to process columns.
struct dealt_matrix {
  dealt_axis rows;
  dealt_axis columns;
};

/// Layout of all matrices, for one form on one grid.
///
/// A panel travels along process rows if it consists of columns of `left`, and along process
/// columns if it consists of rows of `right`.  Each form wants its operands stored so that panels
/// need no transposition: C stationary, op(A) and op(B); A stationary, op(A) and op(B)'; B
/// stationary, op(A)' and op(B).  An operand that is stored otherwise is transposed first.
struct arrangement {
  form stationary = form::stationary_c;
  grid_shape grid;
  dealt_matrix stored_a;  ///< as the program gives it
  dealt_matrix stored_b;
  dealt_matrix left;
  dealt_matrix right;
  dealt_matrix c;
  bool transposes_a = false;  ///< `left` is the transpose of what is stored
  bool transposes_b = false;
};

[[nodiscard]] arrangement arrange(const product& what, form stationary, grid_shape grid);

/// Returns the matrix entries that a process receives, on average.
[[nodiscard]] double received_entries(const product& what, form stationary, grid_shape grid);

/// Returns the form and the grid for which a process receives least.  Extents of `wanted` that are
/// not 0 are kept; `only`, if not null, is the form.  Errors: usage_error for a grid of another
/// number of ranks.
[[nodiscard]] arrangement choose(const product& what, int ranks, grid_shape wanted,
                                 const form* only);

/// One step: a run of consecutive indices of the axis that the form walks along (k for C, n for A,
/// m for B), none of which crosses a block.  Places are those of the grid; -1: nothing of the kind.
struct step {
  std::int64_t first = 0;
  std::int64_t width = 0;
  int row_root = -1;     ///< process column whose columns of `left` are broadcast along rows
  int column_root = -1;  ///< process row whose rows of `right` are broadcast along columns
  int owner = -1;        ///< process column (A) or row (B) that gets the sums of this step
};

[[nodiscard]] std::vector<step> steps_of(const product& what, const arrangement& where);

}  // namespace summa
