// SPDX-License-Identifier: BSD-3-Clause
#include "layout.hpp"

#include <algorithm>

namespace plait::stencil {

device_layout::device_layout(const view<const double, 3>& with_ghosts)
    : with_ghosts_(with_ghosts.cells()),
      strides_{1, with_ghosts.stride(axis::y), with_ghosts.stride(axis::z)},
      size_(place(with_ghosts_.high - extents<3>(1)) + 1) {}

std::size_t device_layout::place(const point<3>& cell) const {
  std::ptrdiff_t result = 0;
  for (const axis a : axes<3>)
    result += (cell[a] - with_ghosts_.low[a]) * strides_[static_cast<std::size_t>(index_of(a))];
  return static_cast<std::size_t>(result);
}

std::size_t device_layout::message_size(const box<3>& plane) const {
  return static_cast<std::size_t>(plane.extent(axis::y) * strides_[1]);
}

reads::reads(const box<3>& some) : below(some), own(some), above(some) {
  below.low[axis::z] = some.low[axis::z] - 1;
  below.high[axis::z] = some.low[axis::z];
  above.low[axis::z] = some.high[axis::z];
  above.high[axis::z] = some.high[axis::z] + 1;
  --own.low[axis::y];
  ++own.high[axis::y];
}

std::vector<box<3>> parts_of_plane(const box<3>& plane, int parts) {
  const std::int64_t rows = (plane.extent(axis::y) + parts - 1) / parts;
  return cut_in_parts(plane, rows * plane.extent(axis::x));
}

std::vector<box<3>> parts_of_edges(const std::vector<face>& faces, int parts) {
  std::vector<box<3>> result;
  for (const face& f : faces)
    for (const box<3>& rows : parts_of_plane(f.edge, parts))
      if (std::ranges::find(result, rows) == result.end()) result.push_back(rows);
  return result;
}

}  // namespace plait::stencil
