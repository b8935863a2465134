// SPDX-License-Identifier: BSD-3-Clause
/// Sets of cells as plainly as can be, and random boxes: what the calculus of boxes and regions is
/// held against.
#pragma once

#include <cstdint>
#include <ostream>
#include <random>
#include <set>
#include <vector>

#include <plait/core/region.hpp>

namespace plait {
template <int D, space S>
void PrintTo(const box<D, S>& b, std::ostream* out) {
  *out << to_string(b);
}
template <int D, space S>
void PrintTo(const region<D, S>& r, std::ostream* out) {
  for (const box<D, S>& b : r.boxes()) *out << to_string(b) << "; ";
}
}  // namespace plait

namespace plait::test {

template <int D>
using cell_set = std::set<std::array<std::int64_t, D>>;

template <int D>
cell_set<D> cells_of(const box<D>& b) {
  // Not by for_each_cell, which is tested with this.
  cell_set<D> result;
  std::array<std::int64_t, D> at = b.low.along;
  for (const axis a : axes<D>)
    if (b.low[a] >= b.high[a]) return result;
  while (true) {
    result.insert(at);
    std::size_t a = 0;
    while (a < D && ++at[a] == b.high.along[a]) {
      at[a] = b.low.along[a];
      ++a;
    }
    if (a == D) return result;
  }
}

template <int D>
cell_set<D> cells_of(const region<D>& r) {
  cell_set<D> result;
  for (const box<D>& b : r.boxes()) result.merge(cells_of(b));
  return result;
}

/// Boxes with corners in [-reach, reach]; about one in three is empty.
template <int D>
class random_boxes {
 public:
  explicit random_boxes(unsigned seed) : random_(seed) {}

  box<D> one() {
    box<D> result;
    const bool inside_out = number(0, 3) == 0;
    for (const axis a : axes<D>) {
      result.low[a] = number(-reach, reach - 1);
      result.high[a] = result.low[a] + number(inside_out ? -2 : 1, reach);
    }
    return result;
  }
  std::vector<box<D>> some() {
    std::vector<box<D>> result(static_cast<std::size_t>(number(0, 5)));
    for (box<D>& b : result) b = one();
    return result;
  }
  extents<D> widths() {
    extents<D> result;
    for (const axis a : axes<D>) result[a] = number(0, 2);
    return result;
  }
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

 private:
  static constexpr std::int64_t reach = D == 1 ? 12 : D == 2 ? 6 : D == 3 ? 4 : 3;
  std::mt19937_64 random_;
};

}  // namespace plait::test
