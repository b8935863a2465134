// SPDX-License-Identifier: BSD-3-Clause
// A domain cut into a block for each rank, values addressed by the cell's index in the whole
// domain, and the geometry of what neighbours need of each other.
#include <cstdio>
#include <list>
#include <vector>

#include <plait/plait.hpp>

using plait::axis, plait::box, plait::point, plait::view;

// The sum of a cell's four neighbours less four times itself: 0 where u is linear.
void five_point(view<const double, 2> u, view<double, 2> v, const box<2>& cells) {
  for_each_cell(cells, [&](const point<2>& p) {
    const auto x = p[axis::x], y = p[axis::y];
    v(x, y) = u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1) - 4 * u(x, y);
  });
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const int me = env.rank();

  // 60 x 40 cells that go around in x; the second half in y is worked on faster and gets more.
  const auto blocks = plait::decompose<2>(
      {.global = {60, 40}, .ghosts = 1, .periodic = {true, false}, .weights = {{{}, {44, 50}}}},
      env.size());
  plait::block_array<double, 2> u(blocks, me), v(blocks, me);
  const view<double, 2> mine = u.block(me);
  for_each_cell(blocks.block(me),
                [&](const point<2>& p) { mine[p] = 3.0 * static_cast<double>(p[axis::y]); });

  // What fills the ghosts: the same list, in the same order, on the rank that sends and the one
  // that receives.
  std::list<std::vector<double>> messages;
  std::vector<std::pair<box<2>, std::vector<double>*>> arriving;
  for (const auto& copy : ghost_copies(blocks, plait::ghost_reach::faces, me)) {
    if (blocks.rank_of(copy.source) == me) {
      auto& cells = messages.emplace_back();
      for_each_cell(copy.from, [&](const point<2>& p) { cells.push_back(mine[p]); });
      rt.send("edge", plait::in(cells), blocks.rank_of(copy.destination), 0);
    }
    if (blocks.rank_of(copy.destination) == me) {
      auto& cells = messages.emplace_back(static_cast<std::size_t>(copy.from.size()));
      rt.recv("ghosts", plait::out(cells), blocks.rank_of(copy.source), 0);
      arriving.emplace_back(copy.to(), &cells);
    }
  }
  const auto parts = peel(blocks, me);
  five_point(mine, v.block(me), shrink(parts.interior, {0, 1}));  // needs no ghost
  rt.wait();
  for (const auto& [ghosts, cells] : arriving) {
    auto next = cells->begin();
    for_each_cell(ghosts, [&](const point<2>& p) { mine[p] = *next++; });
  }
  // The second level: a node's rim, as three workers share it.
  const plait::hierarchical_decomposition<2> tiers(blocks, {{.workers = 3}});
  for (const auto& share : tiers.shares(me, plait::block_part::rim))
    for (const box<2>& piece : share) five_point(mine, v.block(me), piece);

  // Behind y = 0 and y = 39 nothing lies: all other cells have all their neighbours.
  double wrong = 0, wrong_anywhere = 0;
  const box<2> inner({0, 1}, {60, 39});
  const view<double, 2> result = v.block(me);
  for_each_cell(intersect(blocks.block(me), inner),
                [&](const point<2>& p) { wrong += result[p] != 0 ? 1 : 0; });
  rt.allreduce("wrong", plait::in(wrong), plait::out(wrong_anywhere));
  rt.wait();
  if (me == 0) {
    std::printf("rank 0 has the cells %s\n", to_string(blocks.block(0)).c_str());
    std::printf("%zu faces have a neighbour, %lld cells need none\n", parts.rim.size(),
                static_cast<long long>(parts.interior.size()));
    const auto shares = tiers.shares(0, plait::block_part::interior);
    std::printf("its second worker has %s of them\n", to_string(shares[1].front()).c_str());
    std::printf("%.0f cells are wrong\n", wrong_anywhere);
  }
}
