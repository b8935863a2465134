// SPDX-License-Identifier: BSD-3-Clause
/// The passes of a three-dimensional transform over slabs: what one rank computes between
/// messages, the same for every variant.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "plans.hpp"
#include "slabs.hpp"

namespace spectral {

/// The memory through which a transpose goes; see `slabs`.  What stays on a rank is written
/// straight to the side where it is read.
struct transpose_buffers {
  complex* line_side = nullptr;
  complex* plane_side = nullptr;
};

/// Factors of each wavenumber, as a product over the axes: factor(x, y, z) = x[x] y[y] z[z].
struct separable_factors {
  std::vector<double> x, y, z;
};

/// Forward: `rows`, then of each tile `spread_y`, the tile's messages from plane side to plane
/// side's peers, `gather_z`.  Backward: of each tile `spread_z`, messages, `gather_y`; then `rows`.
/// Memory is read and written in runs of eight x's.  Thread-safe where results do not overlap.  How
/// a pass is cut into ranges changes no bit.
class passes {
 public:
  passes(slabs shape, planning how);

  [[nodiscard]] const slabs& shape() const noexcept { return shape_; }

  /// Transforms the rows along x of these planes, in place.
  void rows(complex* planes, const range& z, sign way) const;
  /// Transforms along y (forward) what `planes` has of a tile and these z, into chunks.
  void spread_y(const complex* planes, const transpose_buffers& to, int tile, const range& z) const;
  /// Transforms along z (forward) the chunks of a tile and these y, into `lines`.
  void gather_z(const transpose_buffers& from, complex* lines, int tile, const range& y) const;
  /// Transforms along z (backward) what `lines` has of a tile and these y, into chunks; multiplies
  /// `lines` by the factors first, unless they are null.
  void spread_z(complex* lines, const transpose_buffers& to, int tile, const range& y,
                const separable_factors* times) const;
  /// Transforms along y (backward) the chunks of a tile and these z, into `planes`.
  void gather_y(const transpose_buffers& from, complex* planes, int tile, const range& z) const;

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

  slabs shape_;
  line_plan rows_forward_, rows_backward_;  ///< of a plane
  std::map<index, plans_of_width> plans_;
};

}  // namespace spectral
