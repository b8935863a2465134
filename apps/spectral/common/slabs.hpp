// SPDX-License-Identifier: BSD-3-Clause
/// A three-dimensional grid of complex numbers in slabs, and the chunks in which it is transposed.
/// Geometry only: no memory, no messages.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace spectral {

using complex = std::complex<double>;
using index = std::int64_t;

/// The indices low, …, high - 1.
struct range {
  index low = 0;
  index high = 0;
  [[nodiscard]] constexpr index size() const noexcept { return high - low; }
};

/// Cuts `whole` into at most `pieces` ranges of equal size to within one, none empty.
[[nodiscard]] std::vector<range> cut(const range& whole, index pieces);

/// Returns the distance of rows of so many elements: rows a power of two apart would share a cache
/// set.
[[nodiscard]] index padded_row(index row) noexcept;

/// One rank's part of the grid in both of its layouts, and what it exchanges.
///
/// In the *planes* layout a rank has all x and y of its z, x fastest: cell (x, y, z) is number
/// `plane_index`.  In the *lines* layout it has all x and z of its y, z fastest: `line_index`.  A
/// transpose moves the grid from one layout to the other in tiles: the x of a tile travel together,
/// in one chunk to each rank.
///
/// There are two buffers.  `line_side` holds what leaves from, or arrives for, the lines layout,
/// `plane_side` likewise.  A chunk has the same size on both of its ends.  Within a chunk x is
/// fastest, then the axis that the sender has just transformed; the sender's own axis is slowest.
class slabs {
 public:
  /// `tile` x's travel together; the last tile may be smaller.  Errors: usage_error, one line that
  /// begins with `option`, where y or z has fewer cells than there are ranks.
  slabs(const std::string& option, std::array<index, 3> cells, int ranks, int rank, index tile);

  [[nodiscard]] index nx() const noexcept { return cells_[0]; }
  [[nodiscard]] index ny() const noexcept { return cells_[1]; }
  [[nodiscard]] index nz() const noexcept { return cells_[2]; }
  [[nodiscard]] const std::array<index, 3>& cells() const noexcept { return cells_; }
  [[nodiscard]] index size() const noexcept { return nx() * ny() * nz(); }
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(y_.size()); }
  [[nodiscard]] int rank() const noexcept { return rank_; }

  [[nodiscard]] range y_of(int rank) const { return y_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] range z_of(int rank) const { return z_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] range own_y() const { return y_of(rank_); }
  [[nodiscard]] range own_z() const { return z_of(rank_); }

  /// Rows of the planes layout are padded.
  [[nodiscard]] index pitch() const noexcept { return pitch_; }
  [[nodiscard]] index plane_size() const noexcept { return pitch_ * ny(); }
  [[nodiscard]] index planes_size() const { return plane_size() * own_z().size(); }
  [[nodiscard]] index lines_size() const { return nx() * own_y().size() * nz(); }
  [[nodiscard]] index plane_index(index x, index y, index z) const {
    return ((z - own_z().low) * ny() + y) * pitch_ + x;
  }
  [[nodiscard]] index line_index(index x, index y, index z) const {
    return (x * own_y().size() + (y - own_y().low)) * nz() + z;
  }

  [[nodiscard]] index tile() const noexcept { return tile_; }
  [[nodiscard]] int tiles() const noexcept { return static_cast<int>(x_.size()); }
  [[nodiscard]] range x_of(int tile) const { return x_[static_cast<std::size_t>(tile)]; }

  /// Returns the beginning and the size, in elements, of the chunk of a tile for, or from, `peer`.
  [[nodiscard]] index line_side_offset(int peer, int tile) const;
  [[nodiscard]] index line_side_size(int peer, int tile) const;
  [[nodiscard]] index plane_side_offset(int peer, int tile) const;
  [[nodiscard]] index plane_side_size(int peer, int tile) const;
  /// Elements of the buffers.
  [[nodiscard]] index line_side_size() const { return nx() * own_y().size() * nz(); }
  [[nodiscard]] index plane_side_size() const { return nx() * ny() * own_z().size(); }
  /// Elements that this rank sends to another one in one transpose from lines to planes.
  [[nodiscard]] index sent_to(int peer) const { return nx() * own_y().size() * z_of(peer).size(); }

 private:
  std::array<index, 3> cells_;
  int rank_;
  index tile_;
  index pitch_;
  std::vector<range> x_;  ///< of tiles
  std::vector<range> y_;  ///< of ranks
  std::vector<range> z_;
};

/// A tile width for which tiles are many enough to hide behind each other and messages large enough
/// for their bandwidth: a multiple of 8 where the grid allows.
[[nodiscard]] index usual_tile(const std::array<index, 3>& cells, int ranks);

}  // namespace spectral
