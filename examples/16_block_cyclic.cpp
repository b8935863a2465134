// SPDX-License-Identifier: BSD-3-Clause
// A matrix made in columns and then dealt in blocks to a grid of ranks, as ScaLAPACK wants it: each
// rank keeps a share of what a factorisation has still to do.
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::axis, plait::box, plait::point, plait::space, plait::view;

constexpr std::int64_t n = 200;

double entry(const point<2>& cell) {
  return static_cast<double>(cell[axis::x] + n * cell[axis::y]);
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const int me = env.rank();

  // Rows along x.  Four ranks are enough; others have no blocks.
  const plait::block_cyclic<2> deal(
      {.global = {n, n}, .block = {16, 24}, .grid = {2, 2}, .order = plait::grid_order::row_major},
      env.size());
  plait::block_array<double, 2> columns{
      plait::decompose<2>({.global = {n, n}, .grid = {1, env.size()}}, env.size()), me};
  plait::block_array<double, 2> a{plait::decompose(deal), me};

  for (const int id : columns.local_blocks())
    rt.task(
        "make",
        [](view<double, 2> x) {
          for_each_cell(x.cells(), [&](const point<2>& cell) { x[cell] = entry(cell); });
        },
        plait::out(columns.block(id)));
  rt.move(plait::redistribution(columns, a));
  for (const int id : a.local_blocks())
    rt.task(
        "halve",
        [](view<double, 2> x) {
          for_each_cell(x.cells(), [&](const point<2>& cell) { x[cell] *= 0.5; });
        },
        plait::inout(a.block(id)));
  std::vector<double> all(me == 0 ? n * n : 0);
  rt.move(plait::gathering(a, 0, std::span(all)));
  rt.wait();

  if (me != 0) return 0;
  std::int64_t wrong = 0;
  for_each_cell(deal.global(), [&](const point<2>& cell) {
    wrong += all[static_cast<std::size_t>(cell[axis::x] + n * cell[axis::y])] != entry(cell) / 2;
  });
  std::printf("%lld entries are wrong\n", static_cast<long long>(wrong));
  // A cell of the matrix and one of a rank's own array are different types.
  const point<2> cell(100, 180);
  const point<2, space::packed> there = deal.to_packed(cell);
  std::printf("entry %s is %s of rank %d\n", to_string(cell).c_str(), to_string(there).c_str(),
              deal.rank_of(cell));
  // When the first 120 rows and columns are done, every rank has some of what is left.
  for (int rank = 0; rank < deal.ranks(); ++rank) {
    std::int64_t left = 0;
    for (const int id : a.blocks().blocks_of(rank))
      left += intersect(a.blocks().block(id), box<2>({120, 120}, {n, n})).size();
    std::printf("rank %d has %s entries, %lld of them left\n", rank,
                to_string(deal.packed_extent(rank)).c_str(), static_cast<long long>(left));
  }
}
