// SPDX-License-Identifier: BSD-3-Clause
/// One axis of a matrix, dealt in blocks to the places of one axis of a process grid, as ScaLAPACK
/// deals it.  Unlike plait::block_cyclic, the axis may be empty: matrices of no rows are matrices.
#pragma once

#include <cstdint>
#include <vector>

namespace plait::dense {

/// Block i belongs to place i mod `places`.  A place's indices count from 0, its blocks pushed
/// together.  [ScaLAPACK Users' Guide, section 4.3.1]
struct dealt_axis {
  std::int64_t size = 0;   ///< indices, from 0
  std::int64_t block = 1;  ///< at least 1; the last block may be shorter
  int places = 1;

  /// Returns whose an index is.  (INDXG2P)
  [[nodiscard]] int place_of(std::int64_t index) const noexcept {
    return static_cast<int>(index / block % places);
  }
  /// Returns how many of the indices below `end` are a place's.
  [[nodiscard]] std::int64_t count_below(std::int64_t end, int place) const noexcept;
  /// Returns how many indices are a place's.  (NUMROC)
  [[nodiscard]] std::int64_t count(int place) const noexcept { return count_below(size, place); }
  /// Returns where an index lies among those of its place.  (INDXG2L)
  [[nodiscard]] std::int64_t to_local(std::int64_t index) const noexcept {
    return index / (block * places) * block + index % block;
  }
  /// Returns which index that is.  (INDXL2G)
  [[nodiscard]] std::int64_t to_global(std::int64_t local, int place) const noexcept {
    return (local / block * places + place) * block + local % block;
  }
  /// Returns the end of the block that holds an index, at most `size`.
  [[nodiscard]] std::int64_t block_end(std::int64_t index) const noexcept;
};

/// Returns the axis cut into one block a place.
[[nodiscard]] dealt_axis in_one_block_each(std::int64_t size, int places);

/// Returns, for each place of `others`, which of `place`'s indices in `own`, counted there, belong
/// to that place.  Both axes have the same size.
[[nodiscard]] std::vector<std::vector<std::int64_t>> by_place(const dealt_axis& own, int place,
                                                              const dealt_axis& others);

}  // namespace plait::dense
