// SPDX-License-Identifier: BSD-3-Clause
#include "faces.hpp"

#include <algorithm>
#include <string>

#include <plait/plait.hpp>

namespace jacobi3d {
namespace {

using plait::axis;
using plait::process_grid;
using plait::side;

struct range_of_box {
  std::int64_t& first;
  std::int64_t& last;
};

range_of_box along(box& b, axis a) {
  if (a == axis::x) return {b.x0, b.x1};
  if (a == axis::y) return {b.y0, b.y1};
  return {b.z0, b.z1};
}

// The layer of a block at distance `offset` outside of its side: -1 is the edge, 0 the ghosts.
box layer(const extents& n, axis a, side s, std::int64_t offset) {
  box result = whole(n);
  const auto [first, last] = along(result, a);
  first = s == side::low ? -1 - offset : last + offset;
  last = first + 1;
  return result;
}

}  // namespace

std::int64_t face::message_size(const field& shape) const noexcept {
  if (contiguous()) return static_cast<std::int64_t>(shape.plane_cells(0).size());
  return edge.cells();
}

std::vector<face> faces_of(const plait::block_decomposition& blocks, int rank) {
  const plait::global_block block = blocks.block(rank);
  const extents n{block.range[0].size(), block.range[1].size(), block.range[2].size()};
  std::vector<face> result;
  for (const axis a : {axis::z, axis::y, axis::x}) {
    for (const side s : plait::both_sides) {
      const int peer = blocks.grid().neighbour(rank, a, s);
      if (peer == process_grid::no_rank) continue;
      result.push_back({a, s, peer, layer(n, a, s, -1), layer(n, a, s, 0)});
    }
  }
  return result;
}

void pack(const field& source, const box& from, std::span<double> buffer) {
  PLAIT_EXPECTS(static_cast<std::int64_t>(buffer.size()) == from.cells(),
                std::to_string(buffer.size()));
  double* to = buffer.data();
  for (std::int64_t z = from.z0; z < from.z1; ++z)
    for (std::int64_t y = from.y0; y < from.y1; ++y)
      to = std::copy_n(source.at(from.x0, y, z), from.x1 - from.x0, to);
}

void unpack(field& target, const box& to, std::span<const double> buffer) {
  PLAIT_EXPECTS(static_cast<std::int64_t>(buffer.size()) == to.cells(),
                std::to_string(buffer.size()));
  const double* from = buffer.data();
  for (std::int64_t z = to.z0; z < to.z1; ++z)
    for (std::int64_t y = to.y0; y < to.y1; ++y) {
      std::copy_n(from, to.x1 - to.x0, target.at(to.x0, y, z));
      from += to.x1 - to.x0;
    }
}

interior_and_rim cut(const extents& n, std::span<const face> faces) {
  interior_and_rim result{whole(n), {}};
  for (const face& f : faces) {
    if (result.interior.empty()) break;
    box slice = result.interior;
    const auto [rest_first, rest_last] = along(result.interior, f.along);
    const auto [slice_first, slice_last] = along(slice, f.along);
    if (f.where == side::low) {
      slice_last = slice_first + 1;
      ++rest_first;
    } else {
      slice_first = slice_last - 1;
      --rest_last;
    }
    result.rim.push_back(slice);
  }
  return result;
}

}  // namespace jacobi3d
