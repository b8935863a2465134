// SPDX-License-Identifier: BSD-3-Clause
#include "passes.hpp"

#include <algorithm>
#include <utility>

namespace spectral {
namespace {

constexpr index most_together = 8;

/// This thread's memory for lines side by side.
complex* scratch(index size) {
  thread_local field memory;
  if (memory.size() < size) memory = field(size);
  return memory.data();
}

/// Copies `count` runs of `width` elements.
void copy_runs(const complex* from, index from_stride, complex* to, index to_stride, index count,
               index width) {
  if (width == most_together) {
    for (index i = 0; i < count; ++i)
      std::copy_n(from + i * from_stride, most_together, to + i * to_stride);
  } else {
    for (index i = 0; i < count; ++i)
      std::copy_n(from + i * from_stride, width, to + i * to_stride);
  }
}

}  // namespace

passes::passes(slabs shape, planning how) : shape_(std::move(shape)) {
  const slabs& s = shape_;
  const line_layout row{1, s.pitch()};
  rows_forward_ = line_plan(s.nx(), s.ny(), row, row, true, sign::forward, how);
  rows_backward_ = line_plan(s.nx(), s.ny(), row, row, true, sign::backward, how);
  for (int tile = 0; tile < s.tiles(); ++tile)
    for_blocks(tile, [&](index, index width) {
      if (plans_.contains(width)) return;
      const line_layout together{width, 1};
      const line_layout apart{1, s.own_y().size() * s.nz()};
      plans_[width] = {line_plan(s.ny(), width, together, together, true, sign::forward, how),
                       line_plan(s.ny(), width, together, together, true, sign::backward, how),
                       line_plan(s.nz(), width, together, apart, false, sign::forward, how),
                       line_plan(s.nz(), width, apart, together, false, sign::backward, how)};
    });
}

template <class Body>
void passes::for_blocks(int tile, Body&& body) const {
  const range x = shape_.x_of(tile);
  for (index first = x.low; first < x.high; first += most_together)
    body(first, std::min(most_together, x.high - first));
}

void passes::rows(complex* planes, const range& z, sign way) const {
  const line_plan& plan = way == sign::forward ? rows_forward_ : rows_backward_;
  for (index plane = z.low; plane < z.high; ++plane) {
    complex* rows = planes + shape_.plane_index(0, 0, plane);
    plan.execute(rows, rows);
  }
}

void passes::spread_y(const complex* planes, const transpose_buffers& to, int tile,
                      const range& z) const {
  const slabs& s = shape_;
  const range x = s.x_of(tile);
  complex* lines = scratch(std::max(s.ny(), s.nz()) * most_together);
  for (index plane = z.low; plane < z.high; ++plane)
    for_blocks(tile, [&](index first, index width) {
      copy_runs(planes + s.plane_index(first, 0, plane), s.pitch(), lines, width, s.ny(), width);
      plans_for(width).y_forward.execute(lines, lines);
      for (int peer = 0; peer < s.ranks(); ++peer) {
        const range y = s.y_of(peer);
        complex* chunk = peer == s.rank() ? to.line_side + s.line_side_offset(peer, tile)
                                          : to.plane_side + s.plane_side_offset(peer, tile);
        chunk += (plane - s.own_z().low) * y.size() * x.size() + (first - x.low);
        copy_runs(lines + y.low * width, width, chunk, x.size(), y.size(), width);
      }
    });
}

void passes::gather_z(const transpose_buffers& from, complex* lines, int tile,
                      const range& y) const {
  const slabs& s = shape_;
  const range x = s.x_of(tile);
  complex* together = scratch(std::max(s.ny(), s.nz()) * most_together);
  for (index row = y.low; row < y.high; ++row)
    for_blocks(tile, [&](index first, index width) {
      for (int peer = 0; peer < s.ranks(); ++peer) {
        const range z = s.z_of(peer);
        const complex* chunk = from.line_side + s.line_side_offset(peer, tile) +
                               (row - s.own_y().low) * x.size() + (first - x.low);
        copy_runs(chunk, s.own_y().size() * x.size(), together + z.low * width, width, z.size(),
                  width);
      }
      plans_for(width).z_forward.execute(together, lines + s.line_index(first, row, 0));
    });
}

void passes::spread_z(complex* lines, const transpose_buffers& to, int tile, const range& y,
                      const separable_factors* times) const {
  const slabs& s = shape_;
  const range x = s.x_of(tile);
  complex* together = scratch(std::max(s.ny(), s.nz()) * most_together);
  for (index row = y.low; row < y.high; ++row)
    for_blocks(tile, [&](index first, index width) {
      if (times != nullptr)
        for (index i = first; i < first + width; ++i) {
          complex* line = lines + s.line_index(i, row, 0);
          const double xy =
              times->x[static_cast<std::size_t>(i)] * times->y[static_cast<std::size_t>(row)];
          for (index k = 0; k < s.nz(); ++k) line[k] *= xy * times->z[static_cast<std::size_t>(k)];
        }
      plans_for(width).z_backward.execute(lines + s.line_index(first, row, 0), together);
      for (int peer = 0; peer < s.ranks(); ++peer) {
        const range z = s.z_of(peer);
        complex* chunk = peer == s.rank() ? to.plane_side + s.plane_side_offset(peer, tile)
                                          : to.line_side + s.line_side_offset(peer, tile);
        chunk += (row - s.own_y().low) * z.size() * x.size() + (first - x.low);
        copy_runs(together + z.low * width, width, chunk, x.size(), z.size(), width);
      }
    });
}

void passes::gather_y(const transpose_buffers& from, complex* planes, int tile,
                      const range& z) const {
  const slabs& s = shape_;
  const range x = s.x_of(tile);
  complex* together = scratch(std::max(s.ny(), s.nz()) * most_together);
  for (index plane = z.low; plane < z.high; ++plane)
    for_blocks(tile, [&](index first, index width) {
      for (int peer = 0; peer < s.ranks(); ++peer) {
        const range y = s.y_of(peer);
        const complex* chunk = from.plane_side + s.plane_side_offset(peer, tile) +
                               (plane - s.own_z().low) * x.size() + (first - x.low);
        copy_runs(chunk, s.own_z().size() * x.size(), together + y.low * width, width, y.size(),
                  width);
      }
      plans_for(width).y_backward.execute(together, together);
      copy_runs(together, width, planes + s.plane_index(first, 0, plane), s.pitch(), s.ny(), width);
    });
}

}  // namespace spectral
