// SPDX-License-Identifier: BSD-3-Clause
/// Ranks, or the blocks of a decomposition, arranged as a block of x by y by z.  Knows no cells
/// (decomposition.hpp) and no MPI.
#pragma once

#include <array>
#include <string>

#include <plait/core/axis.hpp>
#include <plait/core/no_rank.hpp>

namespace plait {

/// A grid of ranks, not periodic.  In three dimensions rank r sits at (x, y, z) with
/// r = x + px * (y + py * z).  Compiled for 1 to 4 dimensions.
template <int D>
class process_grid {
 public:
  using dimensions = std::array<int, D>;

  /// Chooses the dimensions that are 0 in `wanted` and keeps the others.  The chosen ones are as
  /// close to each other as possible, as MPI_Dims_create returns them (of all factorisations the
  /// one whose largest factor is smallest, then the next), and the largest goes to the slowest
  /// axis: two ranks are 1x1x2.  Throws usage_error, one line, if no grid of `ranks` processes has
  /// these dimensions.
  [[nodiscard]] static process_grid choose(int ranks, dimensions wanted = {});

  /// Preconditions: every dimension is at least 1, and an int can say how many ranks that are.
  explicit process_grid(dimensions dims);

  [[nodiscard]] int size() const noexcept;
  [[nodiscard]] const dimensions& dims() const noexcept { return dims_; }
  [[nodiscard]] int extent(axis a) const noexcept {
    return dims_[static_cast<std::size_t>(index_of(a))];
  }

  /// Precondition: 0 <= rank < size().
  [[nodiscard]] dimensions coordinates(int rank) const;
  /// Precondition: the coordinates lie in the grid.
  [[nodiscard]] int rank_at(const dimensions& coordinates) const;
  /// Returns the rank next to `rank`; `plait::no_rank` at the end of the grid.
  [[nodiscard]] int neighbour(int rank, axis a, side s) const;

  friend bool operator==(const process_grid&, const process_grid&) = default;

 private:
  dimensions dims_;
};

/// Returns text such as "2x1x4".
template <int D>
[[nodiscard]] std::string to_string(const process_grid<D>& grid);

}  // namespace plait
