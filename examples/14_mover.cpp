// SPDX-License-Identifier: BSD-3-Clause
// The sweep of 13_ghosts without tasks, as a KeLP program has it: start the exchange, compute what
// needs no neighbour, wait, compute the rim.  A proxy thread moves the messages meanwhile.
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::axis, plait::box, plait::view;

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
  plait::engine messages{env, {.policy = plait::progress::sleeping}};
  const auto tiles = plait::decompose<2>({.global = {n, n}, .ghosts = 1}, env.size());
  plait::block_array<double, 2> u{tiles, env.rank()}, v{tiles, env.rank()};

  const auto wall = [](const plait::point<2>& cell) { return cell[axis::x] < 0 ? 1.0 : 0.0; };
  plait::mover ghosts_of_u{plait::ghosts_of(u, {.boundary = wall}), messages};
  plait::mover ghosts_of_v{plait::ghosts_of(v, {.boundary = wall}), messages};

  const int id = env.rank();  // one block a rank
  const auto pieces = plait::peel(tiles, id);
  const auto step = [&](plait::mover& ghosts, auto& from, auto& to) {
    ghosts.start();
    if (!pieces.interior.empty()) five_point(from.block(id), to[pieces.interior]);
    ghosts.wait();
    for (const box<2>& cells : pieces.rim) five_point(from.block(id), to[cells]);
  };
  for (int i = 0; i < steps / 2; ++i) {
    step(ghosts_of_u, u, v);
    step(ghosts_of_v, v, u);
  }

  std::vector<double> plate(env.rank() == 0 ? n * n : 0);
  plait::mover(plait::gathering(u, 0, std::span(plate)), messages).run();
  if (env.rank() == 0) {
    double heat = 0;
    for (const double cell : plate) heat += cell;
    std::printf("heat in the plate after %d steps: %.9f\n", steps, heat);
    std::printf("in the middle of the hot wall: %.12f\n", plate[(n / 2) * n]);
  }
}
