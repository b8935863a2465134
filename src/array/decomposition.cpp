// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <plait/array/decomposition.hpp>
#include <plait/core/error.hpp>

namespace plait {
namespace {

template <class Values>
auto& at(Values& values, axis a) {
  return values[static_cast<std::size_t>(index_of(a))];
}

template <int D>
void expect_domain(const decomposition_options<D>& options) {
  for (const axis a : axes<D>) {
    if (options.global[a] < 1)
      throw usage_error("the grid has " + std::to_string(options.global[a]) + " cells along " +
                        name_of(a) + "; it needs at least 1");
    if (options.ghosts[a] < 0)
      throw usage_error("ghosts of width " + std::to_string(options.ghosts[a]) + " along " +
                        name_of(a) + "; 0 is the least");
    if (at(options.blocks_per_rank, a) < 1)
      throw usage_error(std::to_string(at(options.blocks_per_rank, a)) + " blocks per rank along " +
                        name_of(a) + "; at least 1 is needed");
  }
}

// The grid the ranks form: where weights are given, they say how many parts there are.
template <int D>
process_grid<D> grid_of(const decomposition_options<D>& options, int ranks) {
  auto wanted = options.grid;
  for (const axis a : axes<D>) {
    const auto weights = static_cast<int>(at(options.weights, a).size());
    if (weights == 0) continue;
    if (at(wanted, a) == 0) at(wanted, a) = weights;
    if (at(wanted, a) != weights)
      throw usage_error(std::to_string(weights) + " weights along " + name_of(a) + " for " +
                        std::to_string(at(wanted, a)) + " parts; give as many");
  }
  return process_grid<D>::choose(ranks, wanted);
}

template <int D>
void expect_room(const decomposition_options<D>& options, const process_grid<D>& grid) {
  for (const axis a : axes<D>) {
    const std::int64_t cells = options.global[a];
    if (cells >= grid.extent(a)) continue;
    throw usage_error(std::to_string(cells) + (cells == 1 ? " cell" : " cells") + " along " +
                      name_of(a) + " cannot be divided among " + std::to_string(grid.extent(a)) +
                      " processes (grid " + to_string(grid) + "); every block needs at least 1");
  }
}

}  // namespace

template <int D>
struct decomposition<D>::parts {
  box<D> global;
  std::array<bool, D> periodic{};
  std::vector<box<D>> blocks;
  std::vector<int> rank_of;
  std::vector<std::vector<int>> blocks_of;
  std::optional<process_grid<D>> grid;
  box_tree<D> tree;

  void add(const box<D>& cells, int rank) {
    if (static_cast<std::size_t>(rank) >= blocks_of.size())
      blocks_of.resize(static_cast<std::size_t>(rank) + 1);
    blocks_of[static_cast<std::size_t>(rank)].push_back(static_cast<int>(blocks.size()));
    blocks.push_back(cells);
    rank_of.push_back(rank);
  }
};

template <int D>
decomposition<D>::decomposition(const decomposition_options<D>& options,
                                std::span<const owned_block<D>> blocks)
    : ghosts_(options.ghosts) {
  expect_domain(options);
  const auto made = std::make_shared<parts>();
  made->global = box<D>(options.global);
  made->periodic = options.periodic;
  std::int64_t cells = 0;
  for (const owned_block<D>& one : blocks) {
    const std::string name = "block " + std::to_string(made->blocks.size()) + ", " +
                             to_string(one.cells) + ", of rank " + std::to_string(one.rank);
    if (one.rank < 0) throw usage_error(name + ": ranks count from 0");
    if (one.cells.empty()) throw usage_error(name + ", has no cells; every block needs at least 1");
    if (!made->global.contains(one.cells))
      throw usage_error(name + ", leaves the domain " + to_string(made->global));
    made->add(one.cells, one.rank);
    cells += one.cells.size();
  }
  made->tree = box_tree<D>(made->blocks);
  std::vector<int> found;
  for (std::size_t i = 0; i < made->blocks.size(); ++i) {
    made->tree.find_overlapping(made->blocks[i], found);
    for (const int other : found)
      if (static_cast<std::size_t>(other) != i)
        throw usage_error(
            "blocks " + std::to_string(i) + " and " + std::to_string(other) + " share cell " +
            to_string(
                intersect(made->blocks[i], made->blocks[static_cast<std::size_t>(other)]).low) +
            "; blocks must not overlap");
  }
  if (cells != made->global.size())
    throw usage_error("the blocks have " + std::to_string(cells) + " of the domain's " +
                      std::to_string(made->global.size()) + " cells; they must have all");
  parts_ = made;
}

template <int D>
decomposition<D> decompose(const decomposition_options<D>& options, int ranks) {
  PLAIT_EXPECTS(ranks >= 1, std::to_string(ranks));
  expect_domain(options);
  const process_grid<D> grid = grid_of(options, ranks);
  expect_room(options, grid);
  const auto made = std::make_shared<typename decomposition<D>::parts>();
  made->global = box<D>(options.global);
  made->periodic = options.periodic;
  made->grid = grid;
  // Of each axis its parts; a rank's box takes one from each.
  std::array<std::vector<box<D>>, D> slabs;
  for (const axis a : axes<D>) {
    std::vector<double> weights = at(options.weights, a);
    weights.resize(static_cast<std::size_t>(grid.extent(a)), 1.0);
    at(slabs, a) = cut(made->global, a, weights);
  }
  const process_grid<D> within(options.blocks_per_rank);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto where = grid.coordinates(rank);
    box<D> whole = made->global;
    for (const axis a : axes<D>)
      whole = intersect(whole, at(slabs, a)[static_cast<std::size_t>(at(where, a))]);
    for (const box<D>& one : cut(whole, within)) made->add(one, rank);
  }
  made->tree = box_tree<D>(made->blocks);
  decomposition<D> result(made);
  result.ghosts_ = options.ghosts;
  return result;
}

template <int D>
const box<D>& decomposition<D>::global() const noexcept {
  return parts_->global;
}

template <int D>
const extents<D>& decomposition<D>::ghosts() const noexcept {
  return ghosts_;
}

template <int D>
bool decomposition<D>::periodic(axis a) const noexcept {
  return at(parts_->periodic, a);
}

template <int D>
decomposition<D> decomposition<D>::with_ghosts(const extents<D>& widths) const {
  PLAIT_EXPECTS(std::ranges::all_of(widths.along, [](auto w) { return w >= 0; }),
                to_string(widths));
  decomposition result(*this);
  result.ghosts_ = widths;
  return result;
}

template <int D>
int decomposition<D>::ranks() const noexcept {
  return static_cast<int>(parts_->blocks_of.size());
}

template <int D>
std::span<const box<D>> decomposition<D>::blocks() const noexcept {
  return parts_->blocks;
}

template <int D>
const box<D>& decomposition<D>::block(int id) const {
  PLAIT_EXPECTS(id >= 0 && static_cast<std::size_t>(id) < parts_->blocks.size(),
                std::to_string(id) + " of " + std::to_string(parts_->blocks.size()));
  return parts_->blocks[static_cast<std::size_t>(id)];
}

template <int D>
box<D> decomposition<D>::block_with_ghosts(int id) const {
  return grow(block(id), ghosts_);
}

template <int D>
int decomposition<D>::rank_of(int id) const {
  (void)block(id);  // checks id
  return parts_->rank_of[static_cast<std::size_t>(id)];
}

template <int D>
std::span<const int> decomposition<D>::blocks_of(int rank) const {
  PLAIT_EXPECTS(rank >= 0, std::to_string(rank));
  if (rank >= ranks()) return {};
  return parts_->blocks_of[static_cast<std::size_t>(rank)];
}

template <int D>
int decomposition<D>::block_at(const point<D>& cell) const {
  PLAIT_EXPECTS(parts_->global.contains(cell),
                "cell " + to_string(cell) + " in " + to_string(parts_->global));
  std::vector<int> found;
  parts_->tree.find_overlapping(box<D>(cell, cell + extents<D>(1)), found);
  return found.front();
}

template <int D>
bool decomposition<D>::has_neighbour(int id, axis a, side s) const {
  if (periodic(a)) return true;
  return s == side::low ? block(id).low[a] > parts_->global.low[a]
                        : block(id).high[a] < parts_->global.high[a];
}

template <int D>
const std::optional<process_grid<D>>& decomposition<D>::grid() const noexcept {
  return parts_->grid;
}

template <int D>
const box_tree<D>& decomposition<D>::tree() const noexcept {
  return parts_->tree;
}

#define PLAIT_DECOMPOSITION(D)     \
  template class decomposition<D>; \
  template decomposition<D> decompose(const decomposition_options<D>&, int);
PLAIT_DECOMPOSITION(1)
PLAIT_DECOMPOSITION(2)
PLAIT_DECOMPOSITION(3)
PLAIT_DECOMPOSITION(4)

}  // namespace plait
