// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <plait/array/rim.hpp>
#include <plait/core/error.hpp>

namespace plait {
namespace {

// Where a box is cut into pieces of whole rows; x if it is a single row.
template <int D>
axis longest_across_rows(const box<D>& b) {
  axis result = axis::x;
  for (const axis a : axes<D>)
    if (a != axis::x && b.extent(a) > 1 && (result == axis::x || b.extent(a) >= b.extent(result)))
      result = a;
  return result;
}

// The pieces of all workers, and what each has to do so far.
template <int D>
struct shares {
  std::vector<std::vector<box<D>>> boxes;
  std::vector<double> load;
  const row_cost& cost;

  void give(std::size_t worker, const box<D>& b) {
    boxes[worker].push_back(b);
    load[worker] += cost(b);
  }

  void give_to_all(const box<D>& b) {
    const axis along = longest_across_rows(b);
    const auto pieces = along == axis::x
                            ? std::int64_t{1}
                            : std::min(b.extent(along), static_cast<std::int64_t>(boxes.size()));
    // Those with the least to do come first, so that the remainders do not all fall to one.
    std::vector<std::size_t> order(boxes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](auto l, auto r) { return load[l] < load[r]; });
    const std::vector<double> equal(static_cast<std::size_t>(pieces), 1.0);
    std::size_t next = 0;
    for (const box<D>& piece : cut(b, along == axis::x ? axes<D>.back() : along, equal))
      give(order[next++], piece);
  }

  // As much of `rest` as fits below `target`, to the nearest layer; what is left stays in `rest`.
  void fill(std::size_t worker, double target, box<D>& rest) {
    const axis along = longest_across_rows(rest);
    const double layer = cost(rest) / static_cast<double>(rest.extent(along));
    const double room = std::max(0.0, target - load[worker]);
    std::int64_t layers = std::llround(room / layer);
    if (along == axis::x) layers = room >= 0.5 * cost(rest) ? rest.extent(along) : 0;
    layers = std::min(layers, rest.extent(along));
    if (layers == 0) return;
    box<D> piece = rest;
    piece.high[along] = rest.low[along] += layers;
    give(worker, piece);
  }
};

}  // namespace

template <int D>
interior_and_rim<D> peel(const decomposition<D>& blocks, int id) {
  interior_and_rim<D> result{blocks.block(id), {}};
  for (auto a = axes<D>.rbegin(); a != axes<D>.rend(); ++a)
    for (const side s : both_sides) {
      const std::int64_t width = blocks.ghosts()[*a];
      if (width == 0 || result.interior.empty() || !blocks.has_neighbour(id, *a, s)) continue;
      result.rim.push_back(layers_inside(result.interior, *a, s, width));
      result.interior = shrink(result.interior, *a, s, width);
    }
  if (result.interior.empty()) result.interior = {};
  return result;
}

template <int D>
std::vector<std::vector<box<D>>> shared_out(std::span<const box<D>> boxes, int workers,
                                            const row_cost& cost) {
  PLAIT_EXPECTS(workers >= 1, std::to_string(workers));
  const auto count = static_cast<std::size_t>(workers);
  shares<D> all{std::vector<std::vector<box<D>>>(count), std::vector<double>(count), cost};
  double total = 0;
  std::vector<box<D>> long_rows;
  for (const box<D>& b : boxes) {
    if (b.empty()) continue;
    total += cost(b);
    if (static_cast<double>(b.extent(axis::x)) < cost.per_row)
      all.give_to_all(b);
    else
      long_rows.push_back(b);
  }
  std::size_t worker = 0;
  for (box<D> rest : long_rows)
    while (!rest.empty()) {
      if (worker + 1 == count) {
        all.give(worker, rest);
        break;
      }
      // What workers before this one have too much or too little is shared by those still to come.
      double left = total;
      for (std::size_t i = 0; i < worker; ++i) left -= all.load[i];
      all.fill(worker, left / static_cast<double>(count - worker), rest);
      if (!rest.empty()) ++worker;
    }
  return std::move(all.boxes);
}

#define PLAIT_RIM(D)                                                                 \
  template interior_and_rim<D> peel(const decomposition<D>&, int);                   \
  template std::vector<std::vector<box<D>>> shared_out(std::span<const box<D>>, int, \
                                                       const row_cost&);
PLAIT_RIM(1)
PLAIT_RIM(2)
PLAIT_RIM(3)
PLAIT_RIM(4)

}  // namespace plait
