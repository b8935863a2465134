// SPDX-License-Identifier: BSD-3-Clause
// A five-point sweep over blocks with ghosts.  The decomposition says who owns which cells, a plan
// says how ghosts are filled, and each task which cells it touches: no tags, no requests, no
// phases. The result does not depend on the number of ranks.
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::axis, plait::box, plait::in, plait::out, plait::point, plait::view;

constexpr std::int64_t n = 240;
constexpr int steps = 200;

void five_point(view<const double, 2> from, view<double, 2> to) {
  const box<2>& cells = to.cells();
  for (std::int64_t j = cells.low[axis::y]; j < cells.high[axis::y]; ++j)
    for (std::int64_t i = cells.low[axis::x]; i < cells.high[axis::x]; ++i)
      to(i, j) = 0.25 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1));
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const auto tiles = plait::decompose<2>({.global = {n, n}, .ghosts = 1}, env.size());
  plait::block_array<double, 2> u{tiles, env.rank()}, v{tiles, env.rank()};

  // A cold plate, and a hot wall on its left.
  const auto wall = [](const point<2>& cell) { return cell[axis::x] < 0 ? 1.0 : 0.0; };
  const plait::move_plan ghosts_of_u = plait::ghosts_of(u, {.boundary = wall});
  const plait::move_plan ghosts_of_v = plait::ghosts_of(v, {.boundary = wall});

  const auto step = [&](const plait::move_plan& ghosts, auto& from, auto& to) {
    rt.move(ghosts);  // returns at once
    for (const int id : from.local_blocks()) {
      const auto pieces = plait::peel(tiles, id);
      for (const box<2>& cells : plait::cut_small(pieces.interior, plait::extents<2>(n, 32)))
        rt.task("inner", five_point, in(from[grow(cells)]), out(to[cells]));
      for (const box<2>& cells : pieces.rim)
        rt.task("rim", five_point, in(from[grow(cells)]), out(to[cells]));
    }
  };
  auto there_and_back = rt.record([&] {
    step(ghosts_of_u, u, v);
    step(ghosts_of_v, v, u);
  });
  rt.replay(there_and_back, steps / 2);

  std::vector<double> plate(env.rank() == 0 ? n * n : 0);
  rt.move(plait::gathering(u, 0, std::span(plate)));
  rt.wait();
  if (env.rank() == 0) {
    double heat = 0;
    for (const double cell : plate) heat += cell;
    std::printf("heat in the plate after %d steps: %.9f\n", steps, heat);
    std::printf("in the middle of the hot wall: %.12f\n", plate[(n / 2) * n]);
  }
}
