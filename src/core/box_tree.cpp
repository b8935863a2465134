// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>

#include <plait/core/box_tree.hpp>

namespace plait {
namespace {

constexpr std::size_t leaf_size = 4;

}  // namespace

template <int D>
box_tree<D>::box_tree(std::span<const box<D>> boxes) {
  entries_.reserve(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (!boxes[i].empty()) entries_.push_back({boxes[i], static_cast<int>(i)});
  if (!entries_.empty()) build(0, entries_.size());
}

template <int D>
void box_tree<D>::build(std::size_t first, std::size_t last) {
  const auto from = entries_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto to = entries_.begin() + static_cast<std::ptrdiff_t>(last);
  const auto centre = [](const entry& e, axis a) { return e.cells.low[a] + e.cells.high[a]; };
  const std::size_t self = nodes_.size();
  nodes_.emplace_back();
  for (auto e = from; e != to; ++e) nodes_[self].bounds = bounds(nodes_[self].bounds, e->cells);
  if (last - first <= leaf_size) {
    nodes_[self].first = static_cast<int>(first);
    nodes_[self].count = static_cast<int>(last - first);
    return;
  }
  axis widest = axis::x;
  std::int64_t spread = -1;
  for (const axis a : axes<D>) {
    const auto [least, most] = std::minmax_element(
        from, to, [&](const entry& l, const entry& r) { return centre(l, a) < centre(r, a); });
    if (centre(*most, a) - centre(*least, a) > spread) {
      spread = centre(*most, a) - centre(*least, a);
      widest = a;
    }
  }
  const std::size_t middle = first + (last - first) / 2;
  std::nth_element(
      from, entries_.begin() + static_cast<std::ptrdiff_t>(middle), to,
      [&](const entry& l, const entry& r) { return centre(l, widest) < centre(r, widest); });
  build(first, middle);
  nodes_[self].second = static_cast<int>(nodes_.size());
  build(middle, last);
}

template <int D>
void box_tree<D>::find_overlapping(const box<D>& b, std::vector<int>& found) const {
  found.clear();
  if (nodes_.empty() || b.empty()) return;
  // Halving keeps the tree's depth below 32 for any number of boxes an int can count.
  std::array<int, 64> open{};
  std::size_t depth = 1;
  while (depth > 0) {
    const int at = open[--depth];
    const node& n = nodes_[static_cast<std::size_t>(at)];
    if (!overlap(n.bounds, b)) continue;
    for (int i = n.first; i < n.first + n.count; ++i)
      if (const entry& e = entries_[static_cast<std::size_t>(i)]; overlap(e.cells, b))
        found.push_back(e.number);
    if (n.count == 0) {
      open[depth++] = n.second;
      open[depth++] = at + 1;
    }
  }
  std::ranges::sort(found);
}

template class box_tree<1>;
template class box_tree<2>;
template class box_tree<3>;
template class box_tree<4>;

}  // namespace plait
