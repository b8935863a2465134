// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms.hpp"

#include <algorithm>

#include <plait/plait.hpp>

#include "measure/base/gather.hpp"

namespace ft_probe {
namespace {

using plait::measure::part_watch;

/// The pieces of the block from `from` to `to`, the same on both sides.
std::vector<range> pieces_of(const point& which, const row_blocks& shape, int from, int to) {
  return spectral::cut(shape.sent(from, to), which.pieces(shape));
}

/// The first of them, about 8 MiB.
std::vector<range> flood_pieces(const point& which, const row_blocks& shape, int from, int to) {
  constexpr index enough_bytes = index{8} << 20;
  std::vector<range> pieces = pieces_of(which, shape, from, to);
  const index piece_bytes = pieces.front().size() * shape.length() * index{sizeof(complex)};
  const auto enough = static_cast<std::size_t>(1 + enough_bytes / piece_bytes);
  if (pieces.size() > enough) pieces.resize(enough);
  return pieces;
}

void expect_all(const point& which, const problem& p, carrier& by) {
  const row_blocks& shape = p.shape();
  for (int step = 1; step < shape.ranks(); ++step) {
    const int from = (p.rank() + shape.ranks() - step) % shape.ranks();
    for (const range& rows : pieces_of(which, shape, from, p.rank())) by.expect(from, rows);
  }
}

/// Line 7: of rows that stay, a copy of memory.
void send(problem& p, carrier& by, int peer, const range& rows) {
  if (peer == p.rank())
    p.copy_own(rows);
  else
    by.start(peer, rows);
}

/// Algorithm 3.
void exchange(problem& p, carrier& by, part_watch& watch) {
  const row_blocks& shape = p.shape();
  p.transform({0, shape.rows_of(p.rank())});
  watch.lap(local_computation);
  for (int t = 1; t <= shape.ranks(); ++t) {
    const int peer = (t + p.rank()) % shape.ranks();
    send(p, by, peer, shape.sent(p.rank(), peer));
  }
  watch.lap(comm_init);
}

/// Algorithms 4 and 5 and what lies between: a piece of each block in turn.
void overlap(const point& which, problem& p, carrier& by, part_watch& watch) {
  const row_blocks& shape = p.shape();
  std::vector<std::vector<range>> blocks;
  std::size_t most = 0;
  for (int peer = 0; peer < shape.ranks(); ++peer) {
    blocks.push_back(pieces_of(which, shape, p.rank(), peer));
    most = std::max(most, blocks.back().size());
  }
  for (std::size_t i = 0; i < most; ++i)
    for (int t = 1; t <= shape.ranks(); ++t) {
      const int peer = (t + p.rank()) % shape.ranks();
      const std::vector<range>& block = blocks[static_cast<std::size_t>(peer)];
      if (i >= block.size()) continue;
      p.transform(block[i]);
      watch.lap(local_computation);
      send(p, by, peer, block[i]);
      watch.lap(comm_init);
    }
}

}  // namespace

part_watch run_algorithm(const point& which, problem& p, carrier& by) {
  part_watch watch(part_names.size());
  watch.start();
  expect_all(which, p, by);
  watch.lap(comm_init);
  if (which.overlapped)
    overlap(which, p, by, watch);
  else
    exchange(p, by, watch);
  by.wait();
  watch.lap(comm_sync);
  by.barrier();
  watch.lap(barrier);
  return watch;
}

double flood(plait::environment& env, const point& which, problem& p, carrier& by) {
  const row_blocks& shape = p.shape();
  if (shape.ranks() < 2) return 0;
  const int here = p.rank();
  const int right = (here + 1) % shape.ranks();
  const int left = (here + shape.ranks() - 1) % shape.ranks();
  double bytes = 0;
  const plait::ticks start = plait::now_ticks();
  for (const range& rows : flood_pieces(which, shape, left, here)) by.expect(left, rows);
  for (const range& rows : flood_pieces(which, shape, here, right)) {
    by.start(right, rows);
    bytes += static_cast<double>(p.outgoing(rows).size_bytes());
  }
  by.wait();
  const double own_s = plait::ticks_to_seconds(plait::now_ticks() - start);
  by.barrier();
  return plait::measure::maximum(env, own_s) / plait::measure::maximum(env, bytes);
}

}  // namespace ft_probe
