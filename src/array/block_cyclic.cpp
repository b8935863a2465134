// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <climits>
#include <string>
#include <vector>

#include <plait/array/block_cyclic.hpp>
#include <plait/core/error.hpp>

namespace plait {
namespace {

[[nodiscard]] std::size_t place_in(axis a) noexcept {
  return static_cast<std::size_t>(index_of(a));
}

template <int D>
[[nodiscard]] const block_cyclic_options<D>& expect_sizes(const block_cyclic_options<D>& options) {
  for (const axis a : axes<D>) {
    if (options.global[a] < 1)
      throw usage_error("block-cyclic: " + std::to_string(options.global[a]) + " cells along " +
                        name_of(a) + "; at least 1 is needed");
    if (options.block[a] < 1)
      throw usage_error("block-cyclic: blocks of " + std::to_string(options.block[a]) +
                        " cells along " + name_of(a) + "; at least 1 is needed");
  }
  return options;
}

/// A grid that is given may leave ranks out; one that is chosen has all.
template <int D>
[[nodiscard]] process_grid<D> grid_of(const std::array<int, D>& wanted, int ranks) {
  PLAIT_EXPECTS(ranks >= 1, std::to_string(ranks));
  std::int64_t given = 1;
  for (const int dim : wanted) {
    if (dim < 1) return process_grid<D>::choose(ranks, wanted);
    given = std::min<std::int64_t>(given * dim, std::int64_t{INT_MAX} + 1);
  }
  if (given > ranks) return process_grid<D>::choose(ranks, wanted);  // says what does not fit
  return process_grid<D>(wanted);
}

/// `order` as `process_grid` numbers ranks: x fastest, or the axes reversed.
template <int D>
[[nodiscard]] std::array<int, D> in_order(std::array<int, D> dims, grid_order order) {
  if (order == grid_order::row_major) std::ranges::reverse(dims);
  return dims;
}

/// The cells of one place along an axis.  [ScaLAPACK, TOOLS/numroc.f]
[[nodiscard]] std::int64_t cells_of_place(std::int64_t cells, std::int64_t block, int place,
                                          int places) {
  const std::int64_t whole = cells / block;
  const std::int64_t extra = whole % places;
  std::int64_t result = whole / places * block;
  if (place < extra) result += block;
  if (place == extra) result += cells % block;
  return result;
}

}  // namespace

template <int D>
block_cyclic<D>::block_cyclic(const block_cyclic_options<D>& options, int ranks)
    : global_(expect_sizes(options).global),
      block_(options.block),
      grid_(grid_of<D>(options.grid, ranks)),
      order_(options.order) {}

template <int D>
std::array<int, D> block_cyclic<D>::place_of(int rank) const {
  PLAIT_EXPECTS(rank >= 0 && rank < ranks(), std::to_string(rank));
  return in_order<D>(process_grid<D>(in_order<D>(grid(), order_)).coordinates(rank), order_);
}

template <int D>
int block_cyclic<D>::rank_at(const std::array<int, D>& place) const {
  return process_grid<D>(in_order<D>(grid(), order_)).rank_at(in_order<D>(place, order_));
}

template <int D>
extents<D> block_cyclic<D>::packed_extent(int rank) const {
  PLAIT_EXPECTS(rank >= 0, std::to_string(rank));
  extents<D> result = 0;
  if (rank >= ranks()) return result;
  const std::array<int, D> place = place_of(rank);
  for (const axis a : axes<D>)
    result[a] = cells_of_place(global_.extent(a), block_[a], place[place_in(a)], grid_.extent(a));
  return result;
}

template <int D>
int block_cyclic<D>::rank_of(const point<D>& cell) const {
  PLAIT_EXPECTS(global_.contains(cell), "cell " + to_string(cell) + " in " + to_string(global_));
  std::array<int, D> place{};
  for (const axis a : axes<D>)
    place[place_in(a)] = static_cast<int>(cell[a] / block_[a] % grid_.extent(a));
  return rank_at(place);
}

template <int D>
point<D, space::packed> block_cyclic<D>::to_packed(const point<D>& cell) const {
  PLAIT_EXPECTS(global_.contains(cell), "cell " + to_string(cell) + " in " + to_string(global_));
  point<D, space::packed> result;
  for (const axis a : axes<D>)
    result[a] = cell[a] / block_[a] / grid_.extent(a) * block_[a] + cell[a] % block_[a];
  return result;
}

template <int D>
point<D> block_cyclic<D>::to_global(const point<D, space::packed>& cell, int rank) const {
  const box<D, space::packed> own(packed_extent(rank));
  PLAIT_EXPECTS(own.contains(cell), "cell " + to_string(cell) + " in " + to_string(own) +
                                        " of rank " + std::to_string(rank));
  const std::array<int, D> place = place_of(rank);
  point<D> result;
  for (const axis a : axes<D>) {
    const std::int64_t turn = cell[a] / block_[a];
    result[a] = (turn * grid_.extent(a) + place[place_in(a)]) * block_[a] + cell[a] % block_[a];
  }
  return result;
}

template <int D>
decomposition<D> decompose(const block_cyclic<D>& dealt) {
  extents<D> count;
  double blocks = 1;
  for (const axis a : axes<D>) {
    count[a] = (dealt.global().extent(a) - 1) / dealt.block()[a] + 1;
    blocks *= static_cast<double>(count[a]);
  }
  if (blocks > INT_MAX)
    throw usage_error("block-cyclic: " + to_string(count) + " blocks of " +
                      to_string(dealt.block()) + " cells are too many; make them larger");
  std::vector<owned_block<D>> all;
  all.reserve(static_cast<std::size_t>(count.product()));
  for_each_cell(box<D>(count), [&](const point<D>& number) {
    box<D> cells;
    for (const axis a : axes<D>) {
      cells.low[a] = number[a] * dealt.block()[a];
      cells.high[a] =
          cells.low[a] + std::min(dealt.block()[a], dealt.global().high[a] - cells.low[a]);
    }
    all.push_back({cells, dealt.rank_of(cells.low)});
  });
  decomposition_options<D> options;
  options.global = dealt.global().extent();
  return decomposition<D>(options, all);
}

#define PLAIT_BLOCK_CYCLIC(D)     \
  template class block_cyclic<D>; \
  template decomposition<D> decompose(const block_cyclic<D>&);
PLAIT_BLOCK_CYCLIC(1)
PLAIT_BLOCK_CYCLIC(2)
PLAIT_BLOCK_CYCLIC(3)
PLAIT_BLOCK_CYCLIC(4)

}  // namespace plait
