// SPDX-License-Identifier: BSD-3-Clause
// Boxes of an array in messages and collectives, and the star of cells that a stencil reads.  Each
// rank has some columns; the columns beside them come from its neighbours, cell by cell, without a
// buffer in the program.  The result does not depend on the number of ranks.
#include <cstdint>
#include <cstdio>

#include <plait/plait.hpp>

using plait::axis, plait::box, plait::in, plait::inout, plait::out, plait::point, plait::side;
using plait::view;

constexpr std::int64_t n = 120;
constexpr int steps = 60;

void five_point(view<const double, 2> from, view<double, 2> to) {
  for_each_cell(to.cells(), [&](const point<2>& p) {
    const auto x = p[axis::x], y = p[axis::y];
    to(x, y) = 0.25 * (from(x - 1, y) + from(x + 1, y) + from(x, y - 1) + from(x, y + 1));
  });
}

void add_rows(view<const double, 2> cells, view<double, 2> sums) {
  for_each_cell(sums.cells(), [&](const point<2>& p) { sums[p] = 0; });
  const auto first = sums.cells().low[axis::x];
  for_each_cell(cells.cells(), [&](const point<2>& p) { sums(first, p[axis::y]) += cells[p]; });
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const int me = env.rank();
  const int left = (me + env.size() - 1) % env.size(), right = (me + 1) % env.size();
  enum tag { leftward, rightward };

  const auto blocks = plait::decompose<2>(
      {.global = {n, n}, .grid = {env.size(), 1}, .ghosts = 1, .periodic = {true, false}},
      env.size());
  plait::block_array<double, 2> first(blocks, me), second(blocks, me);
  const view<double, 2> u = first.block(me), v = second.block(me);
  const box<2> mine = blocks.block(me);
  for_each_cell(mine,
                [&](const point<2>& p) { u[p] = (p[axis::x] + p[axis::y]) % 7 == 0 ? 1 : 0; });

  const box<2> left_edge = layers_inside(mine, axis::x, side::low, 1);
  const box<2> right_edge = layers_inside(mine, axis::x, side::high, 1);
  const auto step = [&](const view<double, 2>& from, const view<double, 2>& to) {
    // A cell wide, n cells high: tasks of plait's pack and unpack them.
    rt.recv("left ghosts", out(from[layers_outside(mine, axis::x, side::low, 1)]), left, rightward);
    rt.recv("right ghosts", out(from[layers_outside(mine, axis::x, side::high, 1)]), right,
            leftward);
    rt.send("left edge", in(from[left_edge]), left, leftward);
    rt.send("right edge", in(from[right_edge]), right, rightward);
    // Corners are never filled, and a star has none.
    for (const box<2>& cells : plait::cut_small(mine, {8, 40}))
      rt.task("relax", five_point, in(from[star(cells)]), out(to[cells]));
  };
  auto there_and_back = rt.record([&] {
    step(u, v);
    step(v, u);
  });
  rt.replay(there_and_back, steps / 2);

  // Each rank adds up its part of every row into a column; the column is summed over ranks.
  rt.task("add rows", add_rows, in(u[mine]), out(v[left_edge]));
  rt.allreduce("rows", inout(v[left_edge]));
  rt.wait();
  if (me == 0) {
    double heat = 0;
    for_each_cell(left_edge, [&](const point<2>& p) { heat += v[p]; });
    std::printf("heat after %d steps: %.6f\n", steps, heat);
    std::printf("in the middle row: %.6f\n", v(left_edge.low[axis::x], n / 2));
  }
}
