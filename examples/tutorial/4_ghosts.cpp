// SPDX-License-Identifier: BSD-3-Clause
// The plate as blocks of an array: the decomposition cuts it, and a plan fills the ghost cells.  No
// tags, no neighbours, no row numbers are left.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::axis, plait::box, plait::in, plait::out, plait::point, plait::view;

constexpr std::int64_t width = 1 << 16, height = 64;
constexpr int steps = 80;

void sweep(view<const double, 2> from, view<double, 2> to) {
  const box<2>& cells = to.cells();
  for (std::int64_t j = cells.low[axis::y]; j < cells.high[axis::y]; ++j)
    for (std::int64_t i = cells.low[axis::x]; i < cells.high[axis::x]; ++i)
      to(i, j) = 0.25 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1));
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const auto plate = plait::decompose<2>({.global = {width, height}, .ghosts = 1}, env.size());
  plait::block_array<double, 2> u{plate, env.rank()}, v{plate, env.rank()};

  const auto wall = [](const point<2>& cell) { return cell[axis::x] < 0 ? 1.0 : 0.0; };
  const plait::move_plan ghosts_of_u = plait::ghosts_of(u, {.boundary = wall});
  const plait::move_plan ghosts_of_v = plait::ghosts_of(v, {.boundary = wall});

  const auto step = [&](const plait::move_plan& ghosts, auto& from, auto& to) {
    rt.move(ghosts);  // returns at once
    for (const int id : from.local_blocks()) {
      const auto pieces = plait::peel(plate, id);
      for (const box<2>& cells : plait::cut_small(pieces.interior, plait::extents<2>(width, 16)))
        rt.task("inner", sweep, in(from[grow(cells)]), out(to[cells]));
      for (const box<2>& cells : pieces.rim)
        rt.task("rim", sweep, in(from[grow(cells)]), out(to[cells]));
    }
  };
  const auto begin = std::chrono::steady_clock::now();
  for (int two = 0; two < steps / 2; ++two) {
    step(ghosts_of_u, u, v);
    step(ghosts_of_v, v, u);
  }
  rt.wait();
  const std::chrono::duration<double> loop = std::chrono::steady_clock::now() - begin;

  std::vector<double> all(env.rank() == 0 ? width * height : 0);
  rt.move(plait::gathering(u, 0, std::span(all)));
  rt.wait();
  if (env.rank() == 0) {
    double heat = 0;
    for (const double cell : all) heat += cell;
    std::printf("heat in the plate: %.9f\n", heat);
    std::printf("in the corner of the hot wall: %.12f\n", all[0]);
    std::fprintf(stderr, "seconds in the loop: %.3f\n", loop.count());
  }
}
