// SPDX-License-Identifier: BSD-3-Clause
#include "tasks.hpp"

#include <algorithm>
#include <span>

#include "transport.hpp"

namespace spectral {
namespace {

using plait::in, plait::out, plait::inout;
using some_cells = plait::view<complex, 3>;
using const_cells = plait::view<const complex, 3>;
using plane_span = std::span<complex>;

/// The cells of a tile and some z in the planes layout: x, y, z.
some_cells tile_in_planes(const slabs& s, complex* planes, int tile, const range& z) {
  const range x = s.x_of(tile);
  return {planes + s.plane_index(x.low, 0, z.low),
          plait::box<3>({x.low, 0, z.low}, {x.high, s.ny(), z.high}),
          {1, s.pitch(), s.plane_size()}};
}

/// The cells of a tile and some y in the lines layout: z, y, x.
some_cells tile_in_lines(const slabs& s, complex* lines, int tile, const range& y) {
  const range x = s.x_of(tile);
  return {lines + s.line_index(x.low, y.low, 0),
          plait::box<3>({0, y.low, x.low}, {s.nz(), y.high, x.high}),
          {1, s.nz(), s.own_y().size() * s.nz()}};
}

std::span<complex> part(std::span<complex> chunk, index whole, index first, index count) {
  const index each = std::ssize(chunk) / whole;
  return chunk.subspan(static_cast<std::size_t>(first * each),
                       static_cast<std::size_t>(count * each));
}

/// Declares what a piece of a spreading pass writes: its part of each chunk, the sender's own axis
/// being the slowest.
template <class Submission>
void also_writes(Submission&& task, const slabs& s, const chunk_map& chunks, int tile,
                 const range& own, const range& piece) {
  for (int peer = 0; peer < s.ranks(); ++peer) {
    const std::span<complex> chunk =
        peer == s.rank() ? chunks.incoming(peer, tile) : chunks.outgoing(peer, tile);
    task.also(out(part(chunk, own.size(), piece.low - own.low, piece.size())));
  }
}

/// A gathering pass reads from all chunks of its tile.
template <class Submission>
void also_reads(Submission&& task, const slabs& s, const chunk_map& chunks, int tile) {
  for (int peer = 0; peer < s.ranks(); ++peer) task.also(in(chunks.incoming(peer, tile)));
}

index pieces_of(index size, index cells_per_piece) {
  return (size + cells_per_piece - 1) / cells_per_piece;
}

}  // namespace

transform_tasks::transform_tasks(const passes& kernel, index cells_per_piece) : kernel_(kernel) {
  const slabs& s = kernel.shape();
  z_of_rows_ = cut(s.own_z(), pieces_of(s.planes_size(), cells_per_piece));
  z_of_tiles_ =
      cut(s.own_z(), pieces_of(s.own_z().size() * s.ny() * s.x_of(0).size(), cells_per_piece));
  y_of_tiles_ =
      cut(s.own_y(), pieces_of(s.own_y().size() * s.nz() * s.x_of(0).size(), cells_per_piece));
}

void transform_tasks::submit_rows(plait::runtime& rt, complex* planes, const range& z,
                                  sign way) const {
  const slabs& s = kernel_.shape();
  const std::span<complex> some(planes + s.plane_index(0, 0, z.low),
                                static_cast<std::size_t>(z.size() * s.plane_size()));
  rt.task(
      "x lines",
      [](plane_span, const passes* kernel, complex* all, range which, sign direction) {
        kernel->rows(all, which, direction);
      },
      inout(some), &kernel_, planes, z, way);
}

void transform_tasks::submit_messages(plait::runtime& rt, const transpose_buffers& buffers,
                                      int tile, bool to_planes) const {
  const slabs& s = kernel_.shape();
  const chunk_map chunks(s, buffers, to_planes ? transpose::to_planes : transpose::to_lines);
  for (int step = 1; step < s.ranks(); ++step) {
    const int to = (s.rank() + step) % s.ranks();
    const int from = (s.rank() + s.ranks() - step) % s.ranks();
    for (const std::span<complex> part : parts_of(chunks.incoming(from, tile)))
      rt.recv("chunk", out(part), from, tile);
    for (const std::span<complex> part : parts_of(chunks.outgoing(to, tile)))
      rt.send("chunk", in(part), to, tile);
  }
}

void transform_tasks::submit_forward(plait::runtime& rt, const task_memory& of) const {
  const slabs& s = kernel_.shape();
  const chunk_map chunks(s, of.buffers, transpose::to_lines);
  for (const range& z : z_of_rows_) submit_rows(rt, of.planes, z, sign::forward);
  for (int tile = 0; tile < s.tiles(); ++tile) {
    for (const range& z : z_of_tiles_)
      also_writes(
          rt.task(
              "y lines",
              [](const_cells, const passes* kernel, task_memory memory, int which, range planes) {
                kernel->spread_y(memory.planes, memory.buffers, which, planes);
              },
              in(tile_in_planes(s, of.planes, tile, z).as_const()), &kernel_, of, tile, z),
          s, chunks, tile, s.own_z(), z);
    submit_messages(rt, of.buffers, tile, false);
  }
  for (int tile = 0; tile < s.tiles(); ++tile)
    for (const range& y : y_of_tiles_)
      also_reads(
          rt.task(
              "z lines",
              [](some_cells, const passes* kernel, task_memory memory, int which, range rows) {
                kernel->gather_z(memory.buffers, memory.lines, which, rows);
              },
              out(tile_in_lines(s, of.lines, tile, y)), &kernel_, of, tile, y),
          s, chunks, tile);
}

void transform_tasks::submit_backward(plait::runtime& rt, const task_memory& of,
                                      const separable_factors* times,
                                      const after_rows& then) const {
  const slabs& s = kernel_.shape();
  const chunk_map chunks(s, of.buffers, transpose::to_planes);
  for (int tile = 0; tile < s.tiles(); ++tile) {
    for (const range& y : y_of_tiles_)
      also_writes(rt.task(
                      "z lines",
                      [](some_cells, const passes* kernel, task_memory memory, int which,
                         range rows, const separable_factors* factors) {
                        kernel->spread_z(memory.lines, memory.buffers, which, rows, factors);
                      },
                      inout(tile_in_lines(s, of.lines, tile, y)), &kernel_, of, tile, y, times),
                  s, chunks, tile, s.own_y(), y);
    submit_messages(rt, of.buffers, tile, true);
  }
  for (int tile = 0; tile < s.tiles(); ++tile)
    for (const range& z : z_of_tiles_)
      also_reads(
          rt.task(
              "y lines",
              [](some_cells, const passes* kernel, task_memory memory, int which, range planes) {
                kernel->gather_y(memory.buffers, memory.planes, which, planes);
              },
              out(tile_in_planes(s, of.planes, tile, z)), &kernel_, of, tile, z),
          s, chunks, tile);
  for (const range& z : z_of_rows_) {
    submit_rows(rt, of.planes, z, sign::backward);
    if (then) then(rt, z);
  }
}

std::size_t transform_tasks::tasks() const {
  const slabs& s = kernel_.shape();
  const std::size_t of_tile = z_of_tiles_.size() + y_of_tiles_.size();
  std::size_t messages = 0;
  for (int tile = 0; tile < s.tiles(); ++tile)
    for (int peer = 0; peer < s.ranks(); ++peer)
      messages +=
          2 + static_cast<std::size_t>(
                  (s.line_side_size(peer, tile) + s.plane_side_size(peer, tile)) / part_elements);
  return z_of_rows_.size() + static_cast<std::size_t>(s.tiles()) * of_tile + messages;
}

}  // namespace spectral
