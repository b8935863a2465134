// SPDX-License-Identifier: BSD-3-Clause
/// A decomposition of two levels: a block for each node, and each block shared among the workers of
/// its node.  Geometry only; whose threads the workers are is the program's affair.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <plait/array/cut.hpp>
#include <plait/array/decomposition.hpp>
#include <plait/array/rim.hpp>

namespace plait {

/// Cells of a block that are computed at one go: all of them, or first those that need no ghosts
/// and then the others, as `peel` divides them.
enum class block_part : std::uint8_t { whole, interior, rim };

/// Over-decomposition: tiles of whole rows, in one dimension pieces of the row, for whichever
/// worker is free.
struct tiling {
  /// At most so many rows of a tile along y; see tile_size.
  std::int64_t rows = std::numeric_limits<std::int64_t>::max();
  int per_worker =
      8;  ///< tiles of a box for each worker, where that is neither too fine nor coarse
  /// Large enough to be worth a task, small enough that no worker waits long for the last one.
  std::int64_t least_cells = std::int64_t{1} << 11;
  std::int64_t most_cells = std::int64_t{1} << 18;
};

/// By worker, the boxes it computes one after the other; none of them empty.
template <int D>
using worker_shares = std::vector<std::vector<box<D>>>;

/// KeLP's hierarchical decomposition [Baden, Shalit 2001, Fig. 1].  The first
/// level, blocks with ghosts for nodes, is any decomposition: uniform, weighted or irregular.  The
/// second says how many workers a node has and what each gets of a block; it is the same on every
/// node, and has no ghosts.  How it is uniform, weighted or irregular is said by sets of workers:
///
///     {{.workers = 7}}      seven equal shares
///     {{4, 44}, {3, 50}}    IRR(44:50): 44/94 of the planes for the first four, equally
///     {{1, 2}, {1, 3}}      a weight for each worker
///
/// or it is dynamic: `tiles`.  A copy costs little.  Thread-safe.  Compiled for 1 to 4 dimensions.
///
///     hierarchical_decomposition<3> tiers(decompose<3>(domain, nodes), {{4, 44}, {3, 50}});
///     for (const box<3>& cells : tiers.shares(id, block_part::interior)[worker]) sweep(cells);
template <int D>
class hierarchical_decomposition {
 public:
  /// Throws usage_error, one line, if there is no set, if one has less than a worker, if all have
  /// more than an int can say, or a weight is not positive and finite.
  hierarchical_decomposition(decomposition<D> nodes, std::vector<worker_set> sets);

  [[nodiscard]] const decomposition<D>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<worker_set>& sets() const noexcept { return sets_; }
  /// Returns the number of workers of a node.
  [[nodiscard]] int workers() const noexcept { return workers_; }

  // Precondition of all that take one: `id` is a block of nodes().

  /// Returns the boxes of a part: disjoint, none empty, of `rim` several.
  [[nodiscard]] std::vector<box<D>> cells(int id, block_part which) const;

  /// Shares a part among the workers of its node: every cell is in one box of one worker.
  ///
  /// `whole` and `interior` are cut into planes, along the slowest axis with a plane for each
  /// worker.  Planes across x are taken by several sets or in one dimension only, for rows are
  /// better kept whole.  Several sets get planes in the ratio of their weights, to the nearest one,
  /// and the workers of a set numbers of planes that differ by at most 1.  Where no such axis has
  /// that many planes, a single set takes a grid of blocks of whole rows, or the pieces of
  /// `shared_out` (some workers nothing), and several sets are refused: usage_error, one line.  An
  /// empty interior is no worker's.
  ///
  /// `rim` is shared equally by what it costs, whatever the weights: what its rows cost depends on
  /// the memory, and it is small.
  [[nodiscard]] worker_shares<D> shares(int id, block_part which) const;

  /// Throws what `shares` would for one of the blocks, the same on every rank.  Cost: a look at
  /// each block where there are several sets.
  void check_shares(block_part which) const;

  /// Cuts a part of a block into tiles, for any worker that is free.  Each box of `cells` is cut by
  /// itself, in the order in which a sweep touches memory.  Weights do not matter.  Precondition:
  /// all numbers are at least 1, and how.least_cells <= how.most_cells.
  [[nodiscard]] std::vector<box<D>> tiles(int id, block_part which, const tiling& how = {}) const;

 private:
  decomposition<D> nodes_;
  std::vector<worker_set> sets_;
  int workers_ = 0;
};

}  // namespace plait
