// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include <plait/array/block_decomposition.hpp>
#include <plait/core/error.hpp>

namespace plait {

interval part_of(std::int64_t cells, int parts, int part) {
  PLAIT_EXPECTS(cells >= 0 && part >= 0 && part < parts, std::to_string(cells) + " cells, part " +
                                                             std::to_string(part) + " of " +
                                                             std::to_string(parts));
  const std::int64_t share = cells / parts;
  const std::int64_t larger = cells % parts;
  const std::int64_t first = part * share + std::min<std::int64_t>(part, larger);
  return {first, first + share + (part < larger ? 1 : 0)};
}

int owner_of(std::int64_t cells, int parts, std::int64_t index) {
  PLAIT_EXPECTS(parts >= 1 && index >= 0 && index < cells,
                "cell " + std::to_string(index) + " of " + std::to_string(cells));
  const std::int64_t share = cells / parts;
  const std::int64_t larger = cells % parts;
  const std::int64_t in_larger = larger * (share + 1);
  if (index < in_larger) return static_cast<int>(index / (share + 1));
  return static_cast<int>(larger + (index - in_larger) / share);
}

block_decomposition::block_decomposition(std::array<std::int64_t, 3> cells, process_grid grid)
    : cells_(cells), grid_(grid) {
  for (const axis a : all_axes) {
    const std::int64_t extent = cells_[index_of(a)];
    const int parts = grid_.extent(a);
    if (extent < 1)
      throw usage_error("the grid has " + std::to_string(extent) + " cells along " + name_of(a) +
                        "; it needs at least 1");
    if (extent < parts)
      throw usage_error(std::to_string(extent) + (extent == 1 ? " cell" : " cells") + " along " +
                        name_of(a) + " cannot be divided among " + std::to_string(parts) +
                        " processes (grid " + to_string(grid_) + "); every block needs at least 1");
  }
}

global_block block_decomposition::block(int rank) const {
  const std::array<int, 3> at = grid_.coordinates(rank);
  global_block result;
  for (const axis a : all_axes)
    result.range[index_of(a)] = part_of(cells_[index_of(a)], grid_.extent(a), at[index_of(a)]);
  return result;
}

int block_decomposition::owner(const std::array<std::int64_t, 3>& cell) const {
  std::array<int, 3> at{};
  for (const axis a : all_axes)
    at[index_of(a)] = owner_of(cells_[index_of(a)], grid_.extent(a), cell[index_of(a)]);
  return grid_.rank_at(at);
}

}  // namespace plait
