// SPDX-License-Identifier: BSD-3-Clause
/// A three-dimensional grid of complex numbers on a grid of P x Q ranks: pencils, and slabs where P
/// is 1.  Geometry only: no memory, no messages.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "slabs.hpp"

namespace spectral {

/// P ranks of a row share x and y, Q ranks of a column share y and z.
struct rank_grid {
  int p = 1;
  int q = 1;
  friend bool operator==(const rank_grid&, const rank_grid&) = default;
};

/// Returns the grid of pencils that is nearest to a square among those for which the axes have
/// cells enough; of two that are as near, the one with more ranks in a column.  Where `wanted` has
/// a number, that one is kept; with two numbers the axes may have too few cells.  Errors:
/// usage_error, one line, where there is none.
[[nodiscard]] rank_grid choose_pencils(const std::string& option, const std::array<index, 3>& cells,
                                       int ranks, const rank_grid& wanted);

/// One rank's parts of the grid.  Rank r is number r mod P of its row and r / P of its column.
///
/// A rank has the grid in three layouts.  In the *field* it has all x, of some y (shared by its
/// row) and some z (shared by its column).  For the transforms along y and z it has some x (shared
/// by its row), and of these the layouts of `slabs` over its column.  Each layout has one axis
/// whole.
///
/// A *row transpose* moves the grid between the field and the planes of `column()`, in tiles of
/// some z.  There are two buffers, as in `slabs`: `x_side` holds what leaves from, or arrives for,
/// the field, and `y_side` likewise for the planes.  A chunk has all z of this rank, x fastest, z
/// slowest, so the z of a tile lie together.  In slabs there is no row transpose: the field is the
/// planes of `column()`.
class pencils {
 public:
  /// `tile` x's travel together in the transposes of a column.  Errors: usage_error, one line that
  /// begins with `option`, where an axis has fewer cells than the ranks that share it.
  pencils(const std::string& option, std::array<index, 3> cells, rank_grid ranks, int rank,
          index tile);

  [[nodiscard]] index nx() const noexcept { return cells_[0]; }
  [[nodiscard]] index ny() const noexcept { return cells_[1]; }
  [[nodiscard]] index nz() const noexcept { return cells_[2]; }
  [[nodiscard]] const std::array<index, 3>& cells() const noexcept { return cells_; }
  [[nodiscard]] index size() const noexcept { return nx() * ny() * nz(); }
  [[nodiscard]] const rank_grid& grid() const noexcept { return grid_; }
  [[nodiscard]] bool are_slabs() const noexcept { return grid_.p == 1; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int ranks() const noexcept { return grid_.p * grid_.q; }
  [[nodiscard]] int p() const noexcept { return rank_ % grid_.p; }
  [[nodiscard]] int q() const noexcept { return rank_ / grid_.p; }
  /// Returns the rank of a place in this rank's row, and in its column.
  [[nodiscard]] int rank_in_row(int p) const noexcept { return q() * grid_.p + p; }
  [[nodiscard]] int rank_in_column(int q) const noexcept { return q * grid_.p + p(); }

  /// Returns the grid of this rank's x's, counted from 0, in slabs over its column.
  [[nodiscard]] const slabs& column() const noexcept { return column_; }
  /// Returns the x's that a rank of the row has for the transforms along y and z.
  [[nodiscard]] range x_of(int p) const { return x_[static_cast<std::size_t>(p)]; }
  /// Returns the y's that a rank of the row has in the field.
  [[nodiscard]] range y_of(int p) const { return y_[static_cast<std::size_t>(p)]; }
  [[nodiscard]] range own_x() const { return x_of(p()); }
  [[nodiscard]] range own_y() const { return y_of(p()); }
  [[nodiscard]] range own_z() const { return column_.own_z(); }

  /// Rows of the field are padded, as those of planes.
  [[nodiscard]] index pitch() const noexcept { return pitch_; }
  [[nodiscard]] index plane_size() const { return pitch_ * own_y().size(); }
  [[nodiscard]] index field_size() const { return plane_size() * own_z().size(); }
  [[nodiscard]] index field_index(index x, index y, index z) const {
    return (z - own_z().low) * plane_size() + (y - own_y().low) * pitch_ + x;
  }

  // The row transpose; slabs have no tiles of it.
  [[nodiscard]] int row_tiles() const noexcept { return static_cast<int>(z_.size()); }
  [[nodiscard]] range z_of(int row_tile) const { return z_[static_cast<std::size_t>(row_tile)]; }
  /// Returns where the cells of plane z lie in the chunk for, or from, place `p` of the row.
  [[nodiscard]] index x_side_offset(int p, index z) const;
  [[nodiscard]] index y_side_offset(int p, index z) const;
  /// Returns the cells of a plane in that chunk.
  [[nodiscard]] index x_side_plane(int p) const { return own_y().size() * x_of(p).size(); }
  [[nodiscard]] index y_side_plane(int p) const { return y_of(p).size() * own_x().size(); }
  /// Elements of the buffers.
  [[nodiscard]] index x_side_size() const;
  [[nodiscard]] index y_side_size() const;

 private:
  std::array<index, 3> cells_;
  rank_grid grid_;
  int rank_;
  index pitch_;
  std::vector<range> x_;  ///< of places in a row
  std::vector<range> y_;
  slabs column_;
  std::vector<range> z_;  ///< of row tiles
};

/// As `usual_tile` of slabs, for the transposes of a column.
[[nodiscard]] index usual_tile(const std::array<index, 3>& cells, const rank_grid& ranks);

}  // namespace spectral
