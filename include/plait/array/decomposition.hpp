// SPDX-License-Identifier: BSD-3-Clause
/// Says which cells of a domain belong to which rank: disjoint blocks that cover it, how many ghost
/// cells they have, and where it is periodic.  Holds no data (block_array.hpp).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plait/array/cut.hpp>
#include <plait/array/process_grid.hpp>
#include <plait/core/box_tree.hpp>

namespace plait {

/// Says how `decompose` cuts a domain.
template <int D>
struct decomposition_options {
  extents<D> global;  ///< cells along each axis
  /// Parts along each axis, one for each rank; 0: chosen.
  std::array<int, D> grid{};
  extents<D> ghosts = 0;  ///< width of a block's ghosts along each axis
  std::array<bool, D> periodic{};
  /// Relative work of the parts along an axis; empty: equal parts.  A grid dimension that is 0
  /// becomes the number of weights.
  std::array<std::vector<double>, D> weights{};
  /// Into how many blocks, each with ghosts of its own, a rank's part is cut along each axis.
  std::array<int, D> blocks_per_rank = [] {
    std::array<int, D> one{};
    one.fill(1);
    return one;
  }();
};

/// A block of an irregular decomposition.
template <int D>
struct owned_block {
  box<D> cells;
  int rank = 0;
};

/// A copy costs a pointer.  Thread-safe.  Compiled for 1 to 4 dimensions.
template <int D>
class decomposition {
 public:
  /// Irregular: any blocks.  Of `options` the global size, ghosts and periodicity count.  Throws
  /// usage_error, one line, if the blocks are empty, overlap, leave a cell out or lie outside.
  decomposition(const decomposition_options<D>& options, std::span<const owned_block<D>> blocks);

  /// Returns the whole domain: (0, …) to options.global.
  [[nodiscard]] const box<D>& global() const noexcept;
  [[nodiscard]] const extents<D>& ghosts() const noexcept;
  [[nodiscard]] bool periodic(axis a) const noexcept;
  /// Returns a decomposition of equal blocks with other ghosts.
  [[nodiscard]] decomposition with_ghosts(const extents<D>& widths) const;

  /// Returns one more than the highest rank that has a block.
  [[nodiscard]] int ranks() const noexcept;
  /// Returns all blocks; the other members call a block by its number here.
  [[nodiscard]] std::span<const box<D>> blocks() const noexcept;
  /// Precondition of all that take one: 0 <= id < blocks().size().
  [[nodiscard]] const box<D>& block(int id) const;
  [[nodiscard]] box<D> block_with_ghosts(int id) const;
  [[nodiscard]] int rank_of(int id) const;
  /// Returns the blocks of a rank, ascending; none of a rank beyond.  Precondition: rank >= 0.
  [[nodiscard]] std::span<const int> blocks_of(int rank) const;
  /// Returns the block that a cell belongs to.  Precondition: the cell lies in the domain.
  [[nodiscard]] int block_at(const point<D>& cell) const;
  /// Returns whether cells, of this block or another, lie behind a side of the block.  False at a
  /// physical boundary.
  [[nodiscard]] bool has_neighbour(int id, axis a, side s) const;

  /// Returns the grid of the ranks, if they form one.
  [[nodiscard]] const std::optional<process_grid<D>>& grid() const noexcept;
  /// Returns the tree that finds blocks by their cells.
  [[nodiscard]] const box_tree<D>& tree() const noexcept;

 private:
  struct parts;
  explicit decomposition(std::shared_ptr<const parts> made) : parts_(std::move(made)) {}
  template <int E>
  friend decomposition<E> decompose(const decomposition_options<E>&, int);

  std::shared_ptr<const parts> parts_;
  extents<D> ghosts_;
};

/// Cuts a domain into a grid of parts, one for each rank, in the order of process_grid.  Throws
/// usage_error, one line that names the axis, if there are more blocks than cells along the axis,
/// if an extent is below 1, or if grid, weights and ranks do not fit each other.  Precondition:
/// ranks >= 1.
///
///     decompose<2>({.global = {4096, 4096}, .ghosts = 1, .periodic = {true, false}}, 6)
template <int D>
[[nodiscard]] decomposition<D> decompose(const decomposition_options<D>& options, int ranks);

}  // namespace plait
