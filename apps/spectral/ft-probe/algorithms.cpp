// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms.hpp"

#include <algorithm>

#include <plait/plait.hpp>

#include "measure/base/gather.hpp"

namespace ft_probe {
namespace {

using plait::measure::part_watch;

/// The first pieces of the block from `from` to `to`, about 8 MiB.
std::vector<range> flood_pieces(const point& which, const row_blocks& shape, int from, int to) {
  constexpr index enough_bytes = index{8} << 20;
  std::vector<range> pieces = spectral::cut(shape.sent(from, to), which.pieces(shape));
  const index piece_bytes = pieces.front().size() * shape.length() * index{sizeof(complex)};
  const auto enough = static_cast<std::size_t>(1 + enough_bytes / piece_bytes);
  if (pieces.size() > enough) pieces.resize(enough);
  return pieces;
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
  p.transform({0, p.shape().rows_of(p.rank())});
  watch.lap(local_computation);
  spectral::for_pieces_in_turn(p.shape(), p.rank(), 1,
                               [&](int peer, const range& rows) { send(p, by, peer, rows); });
  watch.lap(comm_init);
}

/// Algorithms 4 and 5 and what lies between.
void overlap(const point& which, problem& p, carrier& by, part_watch& watch) {
  spectral::for_pieces_in_turn(p.shape(), p.rank(), which.pieces(p.shape()),
                               [&](int peer, const range& rows) {
                                 p.transform(rows);
                                 watch.lap(local_computation);
                                 send(p, by, peer, rows);
                                 watch.lap(comm_init);
                               });
}

}  // namespace

part_watch run_algorithm(const point& which, problem& p, carrier& by) {
  part_watch watch(part_names.size());
  watch.start();
  spectral::expect_all(p, which.pieces(p.shape()), by);
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
