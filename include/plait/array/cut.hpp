// SPDX-License-Identifier: BSD-3-Clause
/// Boxes cut into parts: equal, weighted or small ones.  For the blocks of ranks
/// (decomposition.hpp) as for what the workers of a rank share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/array/process_grid.hpp>
#include <plait/core/box.hpp>

namespace plait {

/// Cuts `cells` cells in a row into as many parts as there are weights, in their ratio to the
/// nearest cell (largest remainders, first come first), and none empty; equal weights make the
/// first parts one cell larger.  Returns where the parts begin, and `cells`.  Throws usage_error,
/// one line, if there are fewer cells than parts or a weight is not positive.
[[nodiscard]] std::vector<std::int64_t> part_bounds(std::int64_t cells,
                                                    const std::vector<double>& weights);

/// Cuts `b` along one axis into a part for each weight, in their ratio: `{44, 50}` gives the first
/// 44/94 of the planes and the others.  Throws usage_error, naming the axis, as `part_bounds`.
template <int D, space S>
[[nodiscard]] std::vector<box<D, S>> cut(const box<D, S>& b, axis along,
                                         const std::vector<double>& weights);

/// Cuts `b` into a grid of blocks as equal as possible, in the order of the grid's ranks.  Throws
/// usage_error, naming the axis, if an axis has fewer cells than blocks.
template <int D, space S>
[[nodiscard]] std::vector<box<D, S>> cut(const box<D, S>& b, const process_grid<D>& grid);

/// Cuts `b` into blocks of at most `largest` cells along each axis, as equal as possible.  There
/// are more blocks than workers, so that a free worker can take the next.  Precondition: largest >=
/// 1.
template <int D, space S>
[[nodiscard]] std::vector<box<D, S>> cut_small(const box<D, S>& b, const extents<D>& largest);

/// Cuts `b` into parts of at most `cells` cells, or single rows where those are longer, each as
/// close together in memory as can be: across the slowest axis first.  Precondition: cells >= 1.
template <int D, space S>
[[nodiscard]] std::vector<box<D, S>> cut_in_parts(const box<D, S>& b, std::int64_t cells);

/// Says how large a tile is.  A tile has at most so many rows along y, so that its planes are still
/// in a cache when the next tile needs them.  It has about so many cells, but at least a plane of
/// these rows.
struct tile_size {
  std::int64_t rows = 1;
  std::int64_t cells = 1;
};

/// Cuts `b` into tiles of whole rows, as equal as possible, in the order in which one sweep touches
/// memory: along the slowest axis within the rows of a tile, then the next rows.  Consecutive tiles
/// share planes in cache, so that a sweep cut so costs no more than one at once.  In one dimension
/// tiles are pieces of the row, of at most size.cells.  Precondition: both numbers are at least 1.
template <int D, space S>
[[nodiscard]] std::vector<box<D, S>> cut_in_tiles(const box<D, S>& b, const tile_size& size);

/// Workers that share a part of the work, and how much of it relative to the other sets.
struct worker_set {
  int workers = 1;
  double weight = 1;
};

/// KeLP's irregular partition IRR(m:n) for any number of sets: `b` is cut along `along` in the
/// ratio of the sets' weights, then each part into equal blocks for its workers, along the same
/// axis where it has enough cells, else along the others.  One block for each worker, set after
/// set.  IRR(44:50) of the paper, 504 planes for 4 and 3 workers: `cut(b, axis::z, {{4, 44}, {3,
/// 50}})` gives 236 and 268 planes. Throws usage_error as `part_bounds`.  [Baden, Shalit 2001,
/// section 4.2]
template <int D, space S>
[[nodiscard]] std::vector<box<D, S>> cut(const box<D, S>& b, axis along,
                                         const std::vector<worker_set>& sets);

/// Says how `rebalanced` turns times into weights.
struct rebalance_options {
  /// Share of a change that is held back: 0 believes the last measurement, 0.5 goes half the way.
  double damping = 0;
};

/// Returns new weights from the times the parts of these weights took: proportional to what each
/// got done in a second, weight / time, where damping d makes it weight^d (weight / time)^(1 - d).
/// Scaled so that their sum stays.  Equal times change nothing.  Throws usage_error if a time or
/// weight is not positive or the damping not in [0, 1).
[[nodiscard]] std::vector<double> rebalanced(std::span<const double> weights,
                                             std::span<const double> seconds,
                                             const rebalance_options& options = {});

}  // namespace plait
