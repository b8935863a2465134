// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <plait/array/hierarchical_decomposition.hpp>
#include <plait/core/error.hpp>

namespace plait {
namespace {

std::vector<double> weights_of(const std::vector<worker_set>& sets) {
  std::vector<double> result;
  for (const worker_set& set : sets) result.push_back(set.weight);
  return result;
}

/// The slowest axis along which each set gets a plane for each of its workers.  A single set takes
/// no rows apart.
template <int D>
std::optional<axis> axis_for(const box<D>& cells, const std::vector<worker_set>& sets,
                             int workers) {
  for (auto along = axes<D>.rbegin(); along != axes<D>.rend(); ++along) {
    if (cells.extent(*along) < workers) continue;
    if (sets.size() == 1) {
      if (*along == axis::x && D > 1) continue;
      return *along;
    }
    const std::vector<box<D>> parts = cut(cells, *along, weights_of(sets));
    const auto suffices = [&](const box<D>& part) {
      return part.extent(*along) >= sets[static_cast<std::size_t>(&part - parts.data())].workers;
    };
    if (std::ranges::all_of(parts, suffices)) return *along;
  }
  return std::nullopt;
}

/// Returns a grid of blocks of whole rows for the workers, if it fits.  For cells with no axis that
/// has a plane for each worker.
template <int D>
std::optional<process_grid<D>> grid_for(const box<D>& cells, int workers) {
  typename process_grid<D>::dimensions dims{};
  dims[0] = D == 1 ? workers : 1;
  const auto grid = process_grid<D>::choose(workers, dims);
  for (const axis a : axes<D>)
    if (cells.extent(a) < grid.extent(a)) return std::nullopt;
  return grid;
}

/// "4 and 3 workers in the ratio 44:50".
std::string describe(const std::vector<worker_set>& sets) {
  std::ostringstream workers, ratio;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    workers << (i == 0 ? "" : i + 1 == sets.size() ? " and " : ", ") << sets[i].workers;
    ratio << (i == 0 ? "" : ":") << sets[i].weight;
  }
  return workers.str() + " workers in the ratio " + ratio.str();
}

template <int D>
[[noreturn]] void refuse(const box<D>& cells, const std::vector<worker_set>& sets, int id,
                         block_part which) {
  std::ostringstream size;
  for (const axis a : axes<D>) size << (a == axis::x ? "" : "x") << cells.extent(a);
  throw usage_error(describe(sets) + " cannot share the " + size.str() + " cells of " +
                    (which == block_part::interior ? "the interior of " : "") + "block " +
                    std::to_string(id) + ": no axis has planes enough for each worker");
}

}  // namespace

template <int D>
hierarchical_decomposition<D>::hierarchical_decomposition(decomposition<D> nodes,
                                                          std::vector<worker_set> sets)
    : nodes_(std::move(nodes)), sets_(std::move(sets)) {
  if (sets_.empty()) throw usage_error("a node without workers; give at least one set of them");
  std::int64_t workers = 0;
  for (const worker_set& set : sets_) {
    if (set.workers < 1)
      throw usage_error("a set of " + std::to_string(set.workers) +
                        " workers; each needs at least 1");
    workers += set.workers;
  }
  if (workers > INT_MAX)
    throw usage_error("a node of " + std::to_string(workers) + " workers; it can have at most " +
                      std::to_string(INT_MAX));
  workers_ = static_cast<int>(workers);
  (void)part_bounds(static_cast<std::int64_t>(sets_.size()), weights_of(sets_));
}

template <int D>
std::vector<box<D>> hierarchical_decomposition<D>::cells(int id, block_part which) const {
  if (which == block_part::whole) return {nodes_.block(id)};
  interior_and_rim<D> parts = peel(nodes_, id);
  if (which == block_part::rim) return std::move(parts.rim);
  if (parts.interior.empty()) return {};
  return {parts.interior};
}

template <int D>
worker_shares<D> hierarchical_decomposition<D>::shares(int id, block_part which) const {
  const std::vector<box<D>> all = cells(id, which);
  if (which == block_part::rim || all.empty()) return shared_out<D>(all, workers_);
  const box<D>& part = all.front();
  std::vector<box<D>> blocks;
  if (const std::optional<axis> along = axis_for(part, sets_, workers_)) {
    blocks = cut(part, *along, sets_);
  } else if (sets_.size() > 1) {
    refuse(part, sets_, id, which);
  } else if (const auto grid = grid_for(part, workers_)) {
    blocks = cut(part, *grid);
  } else {
    return shared_out<D>(all, workers_);
  }
  worker_shares<D> result;
  for (const box<D>& own : blocks) result.push_back({own});
  return result;
}

template <int D>
void hierarchical_decomposition<D>::check_shares(block_part which) const {
  if (which == block_part::rim || sets_.size() == 1) return;
  for (int id = 0; id < static_cast<int>(nodes_.blocks().size()); ++id)
    for (const box<D>& one : cells(id, which))
      if (!axis_for(one, sets_, workers_)) refuse(one, sets_, id, which);
}

template <int D>
std::vector<box<D>> hierarchical_decomposition<D>::tiles(int id, block_part which,
                                                         const tiling& how) const {
  PLAIT_EXPECTS(how.rows >= 1 && how.per_worker >= 1 && how.least_cells >= 1 &&
                    how.least_cells <= how.most_cells,
                std::to_string(how.least_cells) + " to " + std::to_string(how.most_cells));
  const std::int64_t count = std::int64_t{how.per_worker} * workers_;
  std::vector<box<D>> result;
  for (const box<D>& one : cells(id, which)) {
    const std::int64_t size =
        std::clamp((one.size() + count - 1) / count, how.least_cells, how.most_cells);
    for (const box<D>& tile : cut_in_tiles(one, {.rows = how.rows, .cells = size}))
      result.push_back(tile);
  }
  return result;
}

template class hierarchical_decomposition<1>;
template class hierarchical_decomposition<2>;
template class hierarchical_decomposition<3>;
template class hierarchical_decomposition<4>;

}  // namespace plait
