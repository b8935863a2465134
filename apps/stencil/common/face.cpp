// SPDX-License-Identifier: BSD-3-Clause
#include "face.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <plait/plait.hpp>

namespace plait::stencil {
namespace {

/// The block on that side, around a periodic domain too.
int neighbour_of(const decomposition<3>& blocks, const box<3>& cells, axis a, side s) {
  point<3> beyond = cells.low;
  beyond[a] = s == side::low ? cells.low[a] - 1 : cells.high[a];
  const std::int64_t all = blocks.global().extent(a);
  beyond[a] = (beyond[a] + all) % all;
  const int found = blocks.block_at(beyond);
  const box<3>& other = blocks.block(found);
  for (const axis across : axes<3>)
    PLAIT_EXPECTS(across == a || (other.low[across] == cells.low[across] &&
                                  other.high[across] == cells.high[across]),
                  "blocks that form a grid");
  return found;
}

}  // namespace

std::vector<face> faces_of(const decomposition<3>& blocks, int rank) {
  PLAIT_EXPECTS(blocks.blocks_of(rank).size() == 1, "one block a rank");
  const int own = blocks.blocks_of(rank).front();
  const box<3>& cells = blocks.block(own);
  std::vector<face> result;
  for (const axis a : {axis::z, axis::y, axis::x}) {
    for (const side s : both_sides) {
      if (!blocks.has_neighbour(own, a, s)) continue;
      const int other = neighbour_of(blocks, cells, a, s);
      result.push_back({a, s, blocks.rank_of(other), layers_inside(cells, a, s, 1),
                        layers_outside(cells, a, s, 1)});
    }
  }
  return result;
}

std::span<double> cells_in_memory(const view<double, 3>& u, const box<3>& plane) {
  double* const first = u.at(plane.low);
  const double* const last = u.at(plane.high - extents<3>(1));
  return {first, static_cast<std::size_t>(last + 1 - first)};
}

void pack(const view<const double, 3>& source, const box<3>& from, std::span<double> buffer) {
  PLAIT_EXPECTS(std::ssize(buffer) == from.size(), std::to_string(buffer.size()));
  double* to = buffer.data();
  for_each_row(from, [&](const point<3>& first) {
    to = std::copy_n(source.at(first), from.extent(axis::x), to);
  });
}

void unpack(const view<double, 3>& target, const box<3>& to, std::span<const double> buffer) {
  PLAIT_EXPECTS(std::ssize(buffer) == to.size(), std::to_string(buffer.size()));
  const double* from = buffer.data();
  for_each_row(to, [&](const point<3>& first) {
    std::copy_n(from, to.extent(axis::x), target.at(first));
    from += to.extent(axis::x);
  });
}

}  // namespace plait::stencil
