// SPDX-License-Identifier: BSD-3-Clause
/// Which cells of a grid belong to which process: blocks of consecutive cells, as equal as
/// possible. Holds no data.
#pragma once

#include <array>
#include <cstdint>

#include <plait/array/process_grid.hpp>

namespace plait {

/// The indices first, first + 1, …, last - 1.
struct interval {
  std::int64_t first = 0;
  std::int64_t last = 0;

  [[nodiscard]] constexpr std::int64_t size() const noexcept { return last - first; }
  [[nodiscard]] constexpr bool contains(std::int64_t index) const noexcept {
    return first <= index && index < last;
  }
  friend constexpr bool operator==(const interval&, const interval&) = default;
};

/// What part `part` of `parts` gets of `cells` cells: the first cells % parts parts get one more
/// than the others.  Parts may be empty.  Preconditions: cells >= 0, 0 <= part < parts.
[[nodiscard]] interval part_of(std::int64_t cells, int parts, int part);

/// The part that cell `index` belongs to: the inverse of `part_of`.  Precondition: 0 <= index <
/// cells.
[[nodiscard]] int owner_of(std::int64_t cells, int parts, std::int64_t index);

/// The cells of one process, in indices of the whole grid: one interval per axis.
struct global_block {
  std::array<interval, 3> range;

  [[nodiscard]] std::int64_t cells() const noexcept {
    return range[0].size() * range[1].size() * range[2].size();
  }
  [[nodiscard]] const interval& along(axis a) const noexcept { return range[index_of(a)]; }
  friend bool operator==(const global_block&, const global_block&) = default;
};

/// nx by ny by nz cells over a process grid, one block for each rank, none empty.
class block_decomposition {
 public:
  /// Throws usage_error, one line that names the axis, if the grid has more processes than cells
  /// along an axis, or if an extent is below 1.
  block_decomposition(std::array<std::int64_t, 3> cells, process_grid grid);

  [[nodiscard]] const std::array<std::int64_t, 3>& cells() const noexcept { return cells_; }
  [[nodiscard]] const process_grid& grid() const noexcept { return grid_; }
  /// Precondition: 0 <= rank < grid().size().
  [[nodiscard]] global_block block(int rank) const;
  /// Precondition: the cell lies in the grid of cells.
  [[nodiscard]] int owner(const std::array<std::int64_t, 3>& cell) const;

 private:
  std::array<std::int64_t, 3> cells_;
  process_grid grid_;
};

}  // namespace plait
