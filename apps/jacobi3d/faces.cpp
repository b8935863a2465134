// SPDX-License-Identifier: BSD-3-Clause
#include "faces.hpp"

#include <algorithm>
#include <string>

#include <plait/plait.hpp>

namespace jacobi3d {
using process_grid = plait::process_grid<3>;
using plait::side;

std::int64_t face::message_size(const field& shape) const noexcept {
  if (contiguous()) return static_cast<std::int64_t>(shape.plane_cells(0).size());
  return edge.size();
}

std::vector<face> faces_of(const plait::decomposition<3>& blocks, int rank) {
  const box own = whole(blocks.block(rank).extent());
  std::vector<face> result;
  for (const axis a : {axis::z, axis::y, axis::x}) {
    for (const side s : plait::both_sides) {
      const int peer = blocks.grid()->neighbour(rank, a, s);
      if (peer == process_grid::no_rank) continue;
      result.push_back({a, s, peer, layers_inside(own, a, s, 1), layers_outside(own, a, s, 1)});
    }
  }
  return result;
}

void pack(const field& source, const box& from, std::span<double> buffer) {
  PLAIT_EXPECTS(static_cast<std::int64_t>(buffer.size()) == from.size(),
                std::to_string(buffer.size()));
  double* to = buffer.data();
  for (std::int64_t z = from.low[axis::z]; z < from.high[axis::z]; ++z)
    for (std::int64_t y = from.low[axis::y]; y < from.high[axis::y]; ++y)
      to = std::copy_n(source.at(from.low[axis::x], y, z), from.high[axis::x] - from.low[axis::x],
                       to);
}

void unpack(field& target, const box& to, std::span<const double> buffer) {
  PLAIT_EXPECTS(static_cast<std::int64_t>(buffer.size()) == to.size(),
                std::to_string(buffer.size()));
  const double* from = buffer.data();
  for (std::int64_t z = to.low[axis::z]; z < to.high[axis::z]; ++z)
    for (std::int64_t y = to.low[axis::y]; y < to.high[axis::y]; ++y) {
      std::copy_n(from, to.high[axis::x] - to.low[axis::x], target.at(to.low[axis::x], y, z));
      from += to.high[axis::x] - to.low[axis::x];
    }
}

interior_and_rim cut(const extents& n, std::span<const face> faces) {
  interior_and_rim result{whole(n), {}};
  for (const face& f : faces) {
    if (result.interior.empty()) break;
    result.rim.push_back(layers_inside(result.interior, f.along, f.where, 1));
    result.interior = shrink(result.interior, f.along, f.where, 1);
  }
  return result;
}

}  // namespace jacobi3d
