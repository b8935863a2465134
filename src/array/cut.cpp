// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include <plait/array/cut.hpp>
#include <plait/core/error.hpp>

namespace plait {
namespace {

std::string count_of(std::int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// part_bounds, whose complaints name the axis.
std::vector<std::int64_t> bounds_along(std::int64_t cells, std::span<const double> weights,
                                       const std::string& where) {
  const std::size_t parts = weights.size();
  if (parts == 0) throw usage_error("no weights" + where + "; give one for each part");
  for (const double weight : weights)
    if (!(weight > 0) || !std::isfinite(weight))
      throw usage_error("weight " + std::to_string(weight) + where + " is not positive and finite");
  if (cells < static_cast<std::int64_t>(parts))
    throw usage_error(count_of(cells, "cell") + where + " cannot be cut into " +
                      count_of(static_cast<std::int64_t>(parts), "part") +
                      "; every part needs at least 1");
  // By a power of two, which changes no quotient, so that the sum is finite.
  const int exponent = std::ilogb(*std::ranges::max_element(weights));
  std::vector<double> scaled;
  for (const double weight : weights) scaled.push_back(std::scalbn(weight, -exponent));
  const double sum = std::accumulate(scaled.begin(), scaled.end(), 0.0);
  std::vector<std::int64_t> share(parts);
  std::vector<double> remainder(parts);
  std::int64_t left = cells;
  for (std::size_t i = 0; i < parts; ++i) {
    const double exact = static_cast<double>(cells) * (scaled[i] / sum);
    share[i] = std::min(left, static_cast<std::int64_t>(exact));
    remainder[i] = exact - static_cast<double>(share[i]);
    left -= share[i];
  }
  std::vector<std::size_t> order(parts);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return remainder[a] > remainder[b]; });
  // Rounding may leave more than a cell for each.
  for (std::size_t next = 0; left > 0; next = (next + 1) % parts, --left) ++share[order[next]];
  for (std::int64_t& one : share) {
    if (one > 0) continue;
    --*std::ranges::max_element(share);
    one = 1;
  }
  std::vector<std::int64_t> result{0};
  for (const std::int64_t one : share) result.push_back(result.back() + one);
  return result;
}

std::string along_name(axis a) {
  return std::string(" along ") + name_of(a);
}

}  // namespace

std::vector<std::int64_t> part_bounds(std::int64_t cells, const std::vector<double>& weights) {
  return bounds_along(cells, weights, "");
}

template <int D, space S>
std::vector<box<D, S>> cut(const box<D, S>& b, axis along, const std::vector<double>& weights) {
  const std::vector<std::int64_t> at = bounds_along(b.extent(along), weights, along_name(along));
  std::vector<box<D, S>> result(weights.size(), b);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].low[along] = b.low[along] + at[i];
    result[i].high[along] = b.low[along] + at[i + 1];
  }
  return result;
}

template <int D, space S>
std::vector<box<D, S>> cut(const box<D, S>& b, const process_grid<D>& grid) {
  std::vector<box<D, S>> result{b};
  // The slowest axis first, so that the blocks come in the order of the grid's ranks.
  for (auto along = axes<D>.rbegin(); along != axes<D>.rend(); ++along) {
    const std::vector<double> equal(static_cast<std::size_t>(grid.extent(*along)), 1.0);
    std::vector<box<D, S>> finer;
    for (const box<D, S>& part : result)
      for (const box<D, S>& piece : cut(part, *along, equal)) finer.push_back(piece);
    result = std::move(finer);
  }
  return result;
}

template <int D, space S>
std::vector<box<D, S>> cut_small(const box<D, S>& b, const extents<D>& largest) {
  PLAIT_EXPECTS(std::ranges::all_of(largest.along, [](auto n) { return n >= 1; }),
                to_string(largest));
  if (b.empty()) return {};
  typename process_grid<D>::dimensions dims{};
  for (const axis a : axes<D>)
    dims[static_cast<std::size_t>(index_of(a))] =
        static_cast<int>((b.extent(a) + largest[a] - 1) / largest[a]);
  return cut(b, process_grid<D>(dims));
}

template <int D, space S>
std::vector<box<D, S>> cut_in_parts(const box<D, S>& b, std::int64_t cells) {
  PLAIT_EXPECTS(cells >= 1, std::to_string(cells) + " cells");
  if (b.empty()) return {};
  extents<D> largest = b.extent();
  std::int64_t layer = b.size();  // cells with one index along the axis
  for (std::size_t i = D; i-- > 1 && layer > cells;) {
    const axis a = axes<D>[i];
    layer /= b.extent(a);
    largest[a] = std::clamp(cells / layer, std::int64_t{1}, b.extent(a));
  }
  return cut_small(b, largest);
}

template <int D, space S>
std::vector<box<D, S>> cut_in_tiles(const box<D, S>& b, const tile_size& size) {
  PLAIT_EXPECTS(size.rows >= 1 && size.cells >= 1,
                std::to_string(size.rows) + " rows, " + std::to_string(size.cells) + " cells");
  if (b.empty()) return {};
  extents<D> largest = b.extent();
  std::int64_t plane = largest[axis::x];
  if (D == 1) largest[axis::x] = std::min(largest[axis::x], size.cells);
  for (const axis a : axes<D>) {
    if (a == axis::x) continue;
    const bool slowest = a == axes<D>.back();
    if (a == axis::y) largest[a] = std::min(largest[a], size.rows);
    if (a != axis::y || slowest)
      largest[a] = std::clamp(size.cells / plane, std::int64_t{1}, largest[a]);
    plane *= largest[a];
  }
  std::vector<box<D, S>> result = cut_small(b, largest);
  if constexpr (D > 2)
    std::ranges::stable_sort(result, {}, [](const box<D, S>& tile) { return tile.low[axis::y]; });
  return result;
}

template <int D, space S>
std::vector<box<D, S>> cut(const box<D, S>& b, axis along, const std::vector<worker_set>& sets) {
  std::vector<double> weights;
  for (const worker_set& set : sets) {
    if (set.workers < 1)
      throw usage_error("a set of " + std::to_string(set.workers) + " workers" + along_name(along) +
                        "; each needs at least 1");
    weights.push_back(set.weight);
  }
  const std::vector<box<D, S>> parts = cut(b, along, weights);
  std::vector<box<D, S>> result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    typename process_grid<D>::dimensions dims{};
    const bool planes_suffice = parts[i].extent(along) >= sets[i].workers || D == 1;
    if (planes_suffice) dims.fill(1);
    dims[static_cast<std::size_t>(index_of(along))] = planes_suffice ? sets[i].workers : 1;
    for (const box<D, S>& one : cut(parts[i], process_grid<D>::choose(sets[i].workers, dims)))
      result.push_back(one);
  }
  return result;
}

std::vector<double> rebalanced(std::span<const double> weights, std::span<const double> seconds,
                               const rebalance_options& options) {
  PLAIT_EXPECTS(weights.size() == seconds.size(), std::to_string(weights.size()) + " weights, " +
                                                      std::to_string(seconds.size()) + " times");
  if (!(options.damping >= 0 && options.damping < 1))
    throw usage_error("damping " + std::to_string(options.damping) + " is not in [0, 1)");
  std::vector<double> result;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
    if (!positive(weights[i]) || !positive(seconds[i]))
      throw usage_error("part " + std::to_string(i) + " of weight " + std::to_string(weights[i]) +
                        " took " + std::to_string(seconds[i]) + " s; both must be positive");
    result.push_back(weights[i]);
  }
  // In two steps: what is held back is relative to weights and rates of the same sum.
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto scale = [&] {
    const double now = std::accumulate(result.begin(), result.end(), 0.0);
    for (double& weight : result) weight *= sum / now;
  };
  for (std::size_t i = 0; i < weights.size(); ++i) result[i] /= seconds[i];
  scale();
  for (std::size_t i = 0; i < weights.size(); ++i)
    result[i] = std::pow(weights[i], options.damping) * std::pow(result[i], 1 - options.damping);
  scale();
  return result;
}

#define PLAIT_CUTS(D, S)                                                                   \
  template std::vector<box<D, S>> cut(const box<D, S>&, axis, const std::vector<double>&); \
  template std::vector<box<D, S>> cut(const box<D, S>&, const process_grid<D>&);           \
  template std::vector<box<D, S>> cut_small(const box<D, S>&, const extents<D>&);          \
  template std::vector<box<D, S>> cut_in_parts(const box<D, S>&, std::int64_t);            \
  template std::vector<box<D, S>> cut_in_tiles(const box<D, S>&, const tile_size&);        \
  template std::vector<box<D, S>> cut(const box<D, S>&, axis, const std::vector<worker_set>&);
#define PLAIT_CUTS_OF_BOTH(D)  \
  PLAIT_CUTS(D, space::global) \
  PLAIT_CUTS(D, space::local)
PLAIT_CUTS_OF_BOTH(1)
PLAIT_CUTS_OF_BOTH(2)
PLAIT_CUTS_OF_BOTH(3)
PLAIT_CUTS_OF_BOTH(4)

}  // namespace plait
