// SPDX-License-Identifier: BSD-3-Clause
#include "passes.hpp"

#include <algorithm>

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

pencils as_pencils(const slabs& s) {
  return {"slabs", s.cells(), {1, s.ranks()}, s.rank(), s.tile()};
}

}  // namespace

passes::passes(const slabs& shape, planning how) : passes(as_pencils(shape), how) {}

passes::passes(const pencils& shape, planning how) : grid_(shape) {
  const slabs& s = grid_.column();
  const line_layout row{1, grid_.pitch()};
  rows_forward_ = line_plan(grid_.nx(), grid_.own_y().size(), row, row, true, sign::forward, how);
  rows_backward_ = line_plan(grid_.nx(), grid_.own_y().size(), row, row, true, sign::backward, how);
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
  const range x = shape().x_of(tile);
  for (index first = x.low; first < x.high; first += most_together)
    body(first, std::min(most_together, x.high - first));
}

template <class Body>
void passes::for_rows_of_plane(const transform_memory& of, index z, bool read, Body&& body) const {
  const pencils& g = grid_;
  if (g.are_slabs()) {
    body(of.field + g.field_index(0, 0, z), g.pitch(), range{0, g.ny()});
    return;
  }
  for (int peer = 0; peer < g.grid().p; ++peer) {
    const bool stays = peer == g.p() && !read;
    complex* chunk =
        stays ? of.row.x_side + g.x_side_offset(peer, z) : of.row.y_side + g.y_side_offset(peer, z);
    body(chunk, g.own_x().size(), g.y_of(peer));
  }
}

void passes::rows(complex* field, const range& z, sign way) const {
  const line_plan& plan = way == sign::forward ? rows_forward_ : rows_backward_;
  for (index plane = z.low; plane < z.high; ++plane) {
    complex* first = field + grid_.field_index(0, grid_.own_y().low, plane);
    plan.execute(first, first);
  }
}

void passes::spread_x(const transform_memory& of, const range& z) const {
  const pencils& g = grid_;
  for (index plane = z.low; plane < z.high; ++plane) {
    rows(of.field, {plane, plane + 1}, sign::forward);
    if (g.are_slabs()) continue;
    const complex* first = of.field + g.field_index(0, g.own_y().low, plane);
    for (int peer = 0; peer < g.grid().p; ++peer) {
      const range x = g.x_of(peer);
      complex* chunk = peer == g.p() ? of.row.y_side + g.y_side_offset(peer, plane)
                                     : of.row.x_side + g.x_side_offset(peer, plane);
      copy_runs(first + x.low, g.pitch(), chunk, x.size(), g.own_y().size(), x.size());
    }
  }
}

void passes::gather_x(const transform_memory& of, const range& z) const {
  const pencils& g = grid_;
  for (index plane = z.low; plane < z.high; ++plane) {
    if (!g.are_slabs()) {
      complex* first = of.field + g.field_index(0, g.own_y().low, plane);
      for (int peer = 0; peer < g.grid().p; ++peer) {
        const range x = g.x_of(peer);
        copy_runs(of.row.x_side + g.x_side_offset(peer, plane), x.size(), first + x.low, g.pitch(),
                  g.own_y().size(), x.size());
      }
    }
    rows(of.field, {plane, plane + 1}, sign::backward);
  }
}

void passes::spread_y(const transform_memory& of, int tile, const range& z) const {
  const slabs& s = shape();
  const range x = s.x_of(tile);
  complex* lines = scratch(std::max(s.ny(), s.nz()) * most_together);
  for (index plane = z.low; plane < z.high; ++plane)
    for_blocks(tile, [&](index first, index width) {
      for_rows_of_plane(
          of, plane, true, [&](const complex* first_row, index stride, const range& y) {
            copy_runs(first_row + first, stride, lines + y.low * width, width, y.size(), width);
          });
      plans_for(width).y_forward.execute(lines, lines);
      for (int peer = 0; peer < s.ranks(); ++peer) {
        const range y = s.y_of(peer);
        complex* chunk = peer == s.rank() ? of.column.line_side + s.line_side_offset(peer, tile)
                                          : of.column.plane_side + s.plane_side_offset(peer, tile);
        chunk += (plane - s.own_z().low) * y.size() * x.size() + (first - x.low);
        copy_runs(lines + y.low * width, width, chunk, x.size(), y.size(), width);
      }
    });
}

void passes::gather_z(const transform_memory& of, int tile, const range& y) const {
  const slabs& s = shape();
  const range x = s.x_of(tile);
  complex* together = scratch(std::max(s.ny(), s.nz()) * most_together);
  for (index row = y.low; row < y.high; ++row)
    for_blocks(tile, [&](index first, index width) {
      for (int peer = 0; peer < s.ranks(); ++peer) {
        const range z = s.z_of(peer);
        const complex* chunk = of.column.line_side + s.line_side_offset(peer, tile) +
                               (row - s.own_y().low) * x.size() + (first - x.low);
        copy_runs(chunk, s.own_y().size() * x.size(), together + z.low * width, width, z.size(),
                  width);
      }
      plans_for(width).z_forward.execute(together, of.lines + s.line_index(first, row, 0));
    });
}

void passes::spread_z(const transform_memory& of, int tile, const range& y,
                      const separable_factors* times) const {
  const slabs& s = shape();
  const range x = s.x_of(tile);
  complex* together = scratch(std::max(s.ny(), s.nz()) * most_together);
  for (index row = y.low; row < y.high; ++row)
    for_blocks(tile, [&](index first, index width) {
      if (times != nullptr)
        for (index i = first; i < first + width; ++i) {
          complex* line = of.lines + s.line_index(i, row, 0);
          const double xy =
              times->x[static_cast<std::size_t>(i)] * times->y[static_cast<std::size_t>(row)];
          for (index k = 0; k < s.nz(); ++k) line[k] *= xy * times->z[static_cast<std::size_t>(k)];
        }
      plans_for(width).z_backward.execute(of.lines + s.line_index(first, row, 0), together);
      for (int peer = 0; peer < s.ranks(); ++peer) {
        const range z = s.z_of(peer);
        complex* chunk = peer == s.rank() ? of.column.plane_side + s.plane_side_offset(peer, tile)
                                          : of.column.line_side + s.line_side_offset(peer, tile);
        chunk += (row - s.own_y().low) * z.size() * x.size() + (first - x.low);
        copy_runs(together + z.low * width, width, chunk, x.size(), z.size(), width);
      }
    });
}

void passes::gather_y(const transform_memory& of, int tile, const range& z) const {
  const slabs& s = shape();
  const range x = s.x_of(tile);
  complex* together = scratch(std::max(s.ny(), s.nz()) * most_together);
  for (index plane = z.low; plane < z.high; ++plane)
    for_blocks(tile, [&](index first, index width) {
      for (int peer = 0; peer < s.ranks(); ++peer) {
        const range y = s.y_of(peer);
        const complex* chunk = of.column.plane_side + s.plane_side_offset(peer, tile) +
                               (plane - s.own_z().low) * x.size() + (first - x.low);
        copy_runs(chunk, s.own_z().size() * x.size(), together + y.low * width, width, y.size(),
                  width);
      }
      plans_for(width).y_backward.execute(together, together);
      for_rows_of_plane(of, plane, false, [&](complex* first_row, index stride, const range& y) {
        copy_runs(together + y.low * width, width, first_row + first, stride, y.size(), width);
      });
    });
}

}  // namespace spectral
