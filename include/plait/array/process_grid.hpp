// SPDX-License-Identifier: BSD-3-Clause
/// Ranks arranged as a block of x by y by z processes.  Knows no cells (block_decomposition.hpp)
/// and no MPI.
#pragma once

#include <array>
#include <string>

namespace plait {

/// The axes in the order of memory: x is the fastest, z the slowest.
enum class axis : int { x = 0, y = 1, z = 2 };
inline constexpr std::array<axis, 3> all_axes{axis::x, axis::y, axis::z};

/// The two directions along an axis: towards smaller and towards larger indices.
enum class side : int { low = 0, high = 1 };
inline constexpr std::array<side, 2> both_sides{side::low, side::high};

[[nodiscard]] constexpr int index_of(axis a) noexcept {
  return static_cast<int>(a);
}
[[nodiscard]] constexpr char name_of(axis a) noexcept {
  return "xyz"[static_cast<int>(a)];
}
[[nodiscard]] constexpr side opposite(side s) noexcept {
  return s == side::low ? side::high : side::low;
}

/// A 1-D, 2-D or 3-D grid of ranks, not periodic.  Rank r sits at (x, y, z) with
/// r = x + px * (y + py * z).
class process_grid {
 public:
  /// What `neighbour` returns where the grid ends.
  static constexpr int no_rank = -1;

  /// Chooses the dimensions that are 0 in `wanted` and keeps the others.  The chosen ones are as
  /// close to each other as possible, as MPI_Dims_create returns them (of all factorisations the
  /// one whose largest factor is smallest, then the next), and the largest goes to the slowest
  /// axis: two ranks are 1x1x2.  Throws usage_error, one line, if no grid of `ranks` processes has
  /// these dimensions.
  [[nodiscard]] static process_grid choose(int ranks, std::array<int, 3> wanted = {0, 0, 0});

  /// Preconditions: every dimension is at least 1.
  explicit process_grid(std::array<int, 3> dims);

  [[nodiscard]] int size() const noexcept { return dims_[0] * dims_[1] * dims_[2]; }
  [[nodiscard]] const std::array<int, 3>& dims() const noexcept { return dims_; }
  [[nodiscard]] int extent(axis a) const noexcept { return dims_[index_of(a)]; }

  /// Precondition: 0 <= rank < size().
  [[nodiscard]] std::array<int, 3> coordinates(int rank) const;
  /// Precondition: the coordinates lie in the grid.
  [[nodiscard]] int rank_at(const std::array<int, 3>& coordinates) const;
  /// The rank next to `rank`, or `no_rank` at the end of the grid.
  [[nodiscard]] int neighbour(int rank, axis a, side s) const;

  friend bool operator==(const process_grid&, const process_grid&) = default;

 private:
  std::array<int, 3> dims_;
};

/// "2x1x4".
[[nodiscard]] std::string to_string(const process_grid& grid);

}  // namespace plait
