// SPDX-License-Identifier: BSD-3-Clause
/// The passes of a three-dimensional transform over pencils: what one rank computes between
/// messages, the same for every variant.
#pragma once

#include <map>
#include <vector>

#include "pencils.hpp"
#include "plans.hpp"
#include "slabs.hpp"

namespace spectral {

/// The memory through which a column's transpose goes; see `slabs`.  What stays on a rank is
/// written straight to the side where it is read.
struct transpose_buffers {
  complex* line_side = nullptr;
  complex* plane_side = nullptr;
};

/// The memory through which a row's transpose goes, likewise; see `pencils`.  None in slabs.
struct row_buffers {
  complex* x_side = nullptr;
  complex* y_side = nullptr;
};

/// The memory of one transform in flight; `lines` may be shared by several.
struct transform_memory {
  transpose_buffers column;
  row_buffers row;
  complex* field = nullptr;
  complex* lines = nullptr;
};

/// Factors of each wavenumber, as a product over the axes: factor(x, y, z) = x[x] y[y] z[z].
struct separable_factors {
  std::vector<double> x, y, z;
};

/// Forward: `spread_x`, a row's messages, of each tile `spread_y`, the tile's messages to the
/// column, `gather_z`.  Backward: of each tile `spread_z`, messages, `gather_y`; a row's messages;
/// `gather_x`.  In slabs rows have no messages.  Memory is read and written in runs of eight x's.
/// Thread-safe where results do not overlap.  How a pass is cut into ranges changes no bit.
class passes {
 public:
  passes(const pencils& shape, planning how);
  /// Of slabs.
  passes(const slabs& shape, planning how);

  [[nodiscard]] const pencils& grid() const noexcept { return grid_; }
  /// Returns the slabs in which the lines along y and z lie; in slabs, all of it.
  [[nodiscard]] const slabs& shape() const noexcept { return grid_.column(); }

  /// Transforms the rows along x of these planes of a field, in place.
  void rows(complex* field, const range& z, sign way) const;
  /// Transforms along x (forward) these planes of the field, into the chunks of the row.  In slabs,
  /// in place.
  void spread_x(const transform_memory& of, const range& z) const;
  /// Transforms along y (forward) what there is of a tile and these z, into the column's chunks.
  void spread_y(const transform_memory& of, int tile, const range& z) const;
  /// Transforms along z (forward) the chunks of a tile and these y, into the lines.
  void gather_z(const transform_memory& of, int tile, const range& y) const;
  /// Transforms along z (backward) what the lines have of a tile and these y, into chunks;
  /// multiplies the lines by the factors first, unless they are null.  Factors along x are those of
  /// this rank's x's, from 0 on.
  void spread_z(const transform_memory& of, int tile, const range& y,
                const separable_factors* times) const;
  /// Transforms along y (backward) the column's chunks of a tile and these z, into the chunks of
  /// the row.  In slabs, into the field.
  void gather_y(const transform_memory& of, int tile, const range& z) const;
  /// Transforms along x (backward) the chunks of the row and these z, into the field.  In slabs, in
  /// place.
  void gather_x(const transform_memory& of, const range& z) const;

 private:
  /// The plans for so many lines side by side.
  struct plans_of_width {
    line_plan y_forward, y_backward;  ///< interleaved, in place
    line_plan z_forward;              ///< interleaved to lines
    line_plan z_backward;             ///< lines to interleaved
  };
  [[nodiscard]] const plans_of_width& plans_for(index width) const { return plans_.at(width); }
  template <class Body>
  void for_blocks(int tile, Body&& body) const;
  /// The rows of a plane of which x's are transformed along y, in blocks of y's.
  template <class Body>
  void for_rows_of_plane(const transform_memory& of, index z, bool read, Body&& body) const;

  pencils grid_;
  line_plan rows_forward_, rows_backward_;  ///< of a plane
  std::map<index, plans_of_width> plans_;
};

}  // namespace spectral
