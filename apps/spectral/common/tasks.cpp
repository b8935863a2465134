// SPDX-License-Identifier: BSD-3-Clause
#include "tasks.hpp"

#include <span>

namespace spectral {
namespace {

using plait::in, plait::out, plait::inout;
using some_cells = plait::view<complex, 3>;

/// The cells of a tile and some y in the lines layout: z, y, x.
some_cells tile_in_lines(const slabs& s, complex* lines, int tile, const range& y) {
  const range x = s.x_of(tile);
  return {lines + s.line_index(x.low, y.low, 0),
          plait::box<3>({0, y.low, x.low}, {s.nz(), y.high, x.high}),
          {1, s.nz(), s.own_y().size() * s.nz()}};
}

/// The cells of a tile and some z in rows of a plane: x, y, z.
some_cells tile_in_rows(complex* first, const range& x, const range& y, const range& z, index row,
                        index plane) {
  return {first + x.low,
          plait::box<3>({x.low, y.low, z.low}, {x.high, y.high, z.high}),
          {1, row, plane}};
}

/// Visits where the cells of a tile and some z lie between the passes along x and along y: in the
/// field, or in a chunk for each rank of the row.  See passes.
template <class Body>
void for_tile_of_planes(const pencils& g, const transform_memory& of, int tile, const range& z,
                        bool read, Body&& body) {
  const range x = g.column().x_of(tile);
  if (g.are_slabs()) {
    body(tile_in_rows(of.field + g.field_index(0, 0, z.low), x, g.own_y(), z, g.pitch(),
                      g.plane_size()));
    return;
  }
  for (int peer = 0; peer < g.grid().p; ++peer) {
    const bool stays = peer == g.p() && !read;
    complex* first = stays ? of.row.x_side + g.x_side_offset(peer, z.low)
                           : of.row.y_side + g.y_side_offset(peer, z.low);
    body(tile_in_rows(first, x, g.y_of(peer), z, g.own_x().size(), g.y_side_plane(peer)));
  }
}

/// Visits the parts of chunks that a pass along x writes (forward) or reads (backward).
template <class Body>
void for_row_chunks(const pencils& g, const transform_memory& of, const range& z, sign way,
                    Body&& body) {
  for (int peer = 0; peer < g.grid().p && !g.are_slabs(); ++peer) {
    const bool stays = peer == g.p() && way == sign::forward;
    complex* first = stays ? of.row.y_side + g.y_side_offset(peer, z.low)
                           : of.row.x_side + g.x_side_offset(peer, z.low);
    body(std::span(first, static_cast<std::size_t>(z.size() * g.x_side_plane(peer))));
  }
}

std::span<complex> part(std::span<complex> chunk, index whole, index first, index count) {
  const index each = std::ssize(chunk) / whole;
  return chunk.subspan(static_cast<std::size_t>(first * each),
                       static_cast<std::size_t>(count * each));
}

/// Declares what a piece of a spreading pass writes: its part of each chunk, the sender's own axis
/// being the slowest.
template <class Submission>
void also_writes(Submission&& task, const chunk_map& chunks, int tile, const range& own,
                 const range& piece) {
  for (int peer = 0; peer < chunks.ranks(); ++peer) {
    const std::span<complex> chunk =
        peer == chunks.rank() ? chunks.incoming(peer, tile) : chunks.outgoing(peer, tile);
    task.also(out(part(chunk, own.size(), piece.low - own.low, piece.size())));
  }
}

/// A gathering pass reads from all chunks of its tile.
template <class Submission>
void also_reads(Submission&& task, const chunk_map& chunks, int tile) {
  for (int peer = 0; peer < chunks.ranks(); ++peer) task.also(in(chunks.incoming(peer, tile)));
}

index pieces_of(index size, index cells_per_piece) {
  return (size + cells_per_piece - 1) / cells_per_piece;
}

}  // namespace

transform_tasks::transform_tasks(const passes& kernel, index cells_per_piece) : kernel_(kernel) {
  const pencils& g = kernel.grid();
  const slabs& s = kernel.shape();
  std::vector<range> together{g.own_z()};
  if (!g.are_slabs()) {
    together.clear();
    for (int tile = 0; tile < g.row_tiles(); ++tile) together.push_back(g.z_of(tile));
  }
  for (const range& z : together) {
    const auto cut_planes = [&](index cells_of_plane) {
      return cut(z, pieces_of(z.size() * cells_of_plane, cells_per_piece));
    };
    planes_.push_back({cut_planes(g.plane_size()), cut_planes(s.ny() * s.x_of(0).size())});
    for (const range& piece : planes_.back().of_rows) z_of_rows_.push_back(piece);
  }
  y_of_tiles_ =
      cut(s.own_y(), pieces_of(s.own_y().size() * s.nz() * s.x_of(0).size(), cells_per_piece));
}

void transform_tasks::submit_x_lines(plait::runtime& rt, const transform_memory& of, const range& z,
                                     sign way) const {
  const pencils& g = kernel_.grid();
  const std::span<complex> some(of.field + g.field_index(0, g.own_y().low, z.low),
                                static_cast<std::size_t>(z.size() * g.plane_size()));
  auto task = rt.task(
      "x lines",
      [](std::span<complex>, const passes* kernel, transform_memory memory, range which,
         sign direction) {
        if (direction == sign::forward)
          kernel->spread_x(memory, which);
        else
          kernel->gather_x(memory, which);
      },
      inout(some), &kernel_, of, z, way);
  for_row_chunks(g, of, z, way, [&](std::span<complex> chunk) {
    if (way == sign::forward)
      task.also(out(chunk));
    else
      task.also(in(chunk));
  });
}

void transform_tasks::submit_y_lines(plait::runtime& rt, const transform_memory& of,
                                     const chunk_map& column, int tile, const range& z,
                                     sign way) const {
  const bool forward = way == sign::forward;
  auto task = rt.task(
      "y lines",
      [](const passes* kernel, transform_memory memory, int which, range planes, sign direction) {
        if (direction == sign::forward)
          kernel->spread_y(memory, which, planes);
        else
          kernel->gather_y(memory, which, planes);
      },
      &kernel_, of, tile, z, way);
  for_tile_of_planes(kernel_.grid(), of, tile, z, forward, [&](const some_cells& cells) {
    if (forward)
      task.also(in(cells.as_const()));
    else
      task.also(out(cells));
  });
  if (forward)
    also_writes(task, column, tile, kernel_.shape().own_z(), z);
  else
    also_reads(task, column, tile);
}

void transform_tasks::submit_messages(plait::runtime& rt, const chunk_map& chunks, int tile,
                                      int tag) const {
  for (int step = 1; step < chunks.ranks(); ++step) {
    const int to = (chunks.rank() + step) % chunks.ranks();
    const int from = (chunks.rank() + chunks.ranks() - step) % chunks.ranks();
    for (const std::span<complex> part : parts_of(chunks.incoming(from, tile)))
      rt.recv("chunk", out(part), chunks.rank_of(from), tag);
    for (const std::span<complex> part : parts_of(chunks.outgoing(to, tile)))
      rt.send("chunk", in(part), chunks.rank_of(to), tag);
  }
}

void transform_tasks::submit_row_messages(plait::runtime& rt, const transform_memory& of,
                                          int row_tile, transpose way) const {
  const pencils& g = kernel_.grid();
  if (g.are_slabs()) return;
  submit_messages(rt, chunk_map(g, of.row, way), row_tile, row_tile);
}

void transform_tasks::submit_forward(plait::runtime& rt, const transform_memory& of) const {
  const slabs& s = kernel_.shape();
  const chunk_map column(kernel_.grid(), of.column, transpose::to_lines);
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    for (const range& z : planes_[i].of_rows) submit_x_lines(rt, of, z, sign::forward);
    submit_row_messages(rt, of, static_cast<int>(i), transpose::to_lines);
  }
  for (int tile = 0; tile < s.tiles(); ++tile) {
    for (const planes_together& some : planes_)
      for (const range& z : some.of_tiles) submit_y_lines(rt, of, column, tile, z, sign::forward);
    submit_messages(rt, column, tile, tile);
  }
  for (int tile = 0; tile < s.tiles(); ++tile)
    for (const range& y : y_of_tiles_)
      also_reads(rt.task(
                     "z lines",
                     [](some_cells, const passes* kernel, transform_memory memory, int which,
                        range rows) { kernel->gather_z(memory, which, rows); },
                     out(tile_in_lines(s, of.lines, tile, y)), &kernel_, of, tile, y),
                 column, tile);
}

void transform_tasks::submit_backward(plait::runtime& rt, const transform_memory& of,
                                      const separable_factors* times,
                                      const after_rows& then) const {
  const slabs& s = kernel_.shape();
  const chunk_map column(kernel_.grid(), of.column, transpose::to_planes);
  for (int tile = 0; tile < s.tiles(); ++tile) {
    for (const range& y : y_of_tiles_)
      also_writes(rt.task(
                      "z lines",
                      [](some_cells, const passes* kernel, transform_memory memory, int which,
                         range rows, const separable_factors* factors) {
                        kernel->spread_z(memory, which, rows, factors);
                      },
                      inout(tile_in_lines(s, of.lines, tile, y)), &kernel_, of, tile, y, times),
                  column, tile, s.own_y(), y);
    submit_messages(rt, column, tile, tile);
  }
  for (int tile = 0; tile < s.tiles(); ++tile)
    for (const planes_together& some : planes_)
      for (const range& z : some.of_tiles) submit_y_lines(rt, of, column, tile, z, sign::backward);
  for (std::size_t i = 0; i < planes_.size(); ++i)
    submit_row_messages(rt, of, static_cast<int>(i), transpose::to_planes);
  for (const range& z : z_of_rows_) {
    submit_x_lines(rt, of, z, sign::backward);
    if (then) then(rt, z);
  }
}

std::size_t transform_tasks::tasks() const {
  const pencils& g = kernel_.grid();
  const slabs& s = kernel_.shape();
  std::size_t of_tile = y_of_tiles_.size();
  for (const planes_together& some : planes_) of_tile += some.of_tiles.size();
  const auto messages_of = [](index elements) {
    return 2 + static_cast<std::size_t>(elements / part_elements);
  };
  std::size_t messages = 0;
  for (int tile = 0; tile < s.tiles(); ++tile)
    for (int peer = 0; peer < s.ranks(); ++peer)
      messages += messages_of(s.line_side_size(peer, tile) + s.plane_side_size(peer, tile));
  for (int tile = 0; tile < g.row_tiles(); ++tile)
    for (int peer = 0; peer < g.grid().p; ++peer)
      messages += messages_of(g.z_of(tile).size() * (g.x_side_plane(peer) + g.y_side_plane(peer)));
  return z_of_rows_.size() + static_cast<std::size_t>(s.tiles()) * of_tile + messages;
}

}  // namespace spectral
