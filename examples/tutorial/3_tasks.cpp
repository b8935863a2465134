// SPDX-License-Identifier: BSD-3-Clause
// The plate of 1_loop.c as tasks.  Messages are tasks too, and rows that need no message are
// computed while it travels.
#include <chrono>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

using plait::in, plait::out;
using rows_of = std::span<double>;

constexpr int width = 1 << 16, height = 64, steps = 80;

/// Writes the rows `to` of the next step; `from` has one row more on each side.
void sweep(std::span<const double> from, std::span<double> to) {
  const double* here = &from[width];
  for (std::size_t row = 0; row < to.size(); row += width, here += width) {
    for (int i = 0; i < width; ++i) {
      const double left = i > 0 ? here[i - 1] : 1.0;  // the hot wall
      const double right = i + 1 < width ? here[i + 1] : 0.0;
      to[row + i] = 0.25 * (left + right + here[i - width] + here[i + width]);
    }
  }
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  if (height % env.size() != 0 || height / env.size() < 3) env.abort("1, 2, 4, 8 or 16 ranks", 2);
  const int rows = height / env.size();
  const int below = env.rank() > 0 ? env.rank() - 1 : plait::no_rank;
  const int above = env.rank() + 1 < env.size() ? env.rank() + 1 : plait::no_rank;

  // Rows 1 to `rows` are this rank's own; rows 0 and `rows` + 1 are its neighbours'.
  std::vector<double> one((rows + 2) * width), other((rows + 2) * width);
  rows_of u{one}, v{other};  // a task copies a span, so the names may change hands below
  const auto cut = [](rows_of all, int first, int count) {
    return all.subspan(first * width, count * width);
  };
  const auto begin = std::chrono::steady_clock::now();
  for (int step = 0; step < steps; ++step) {
    rt.recv("from below", out(cut(u, 0, 1)), below, 0);
    rt.recv("from above", out(cut(u, rows + 1, 1)), above, 1);
    rt.send("to above", in(cut(u, rows, 1)), above, 0);
    rt.send("to below", in(cut(u, 1, 1)), below, 1);
    rt.task("inner", sweep, in(cut(u, 1, rows)), out(cut(v, 2, rows - 2)));  // needs no message
    rt.task("lowest", sweep, in(cut(u, 0, 3)), out(cut(v, 1, 1)));
    rt.task("highest", sweep, in(cut(u, rows - 1, 3)), out(cut(v, rows, 1)));
    std::swap(u, v);
  }
  rt.wait();
  const std::chrono::duration<double> loop = std::chrono::steady_clock::now() - begin;

  std::vector<double> plate(env.rank() == 0 ? width * height : 0);
  rt.gather("plate", in(cut(u, 1, rows)), out(plate), 0);
  rt.wait();
  if (env.rank() == 0) {
    double heat = 0;
    for (const double cell : plate) heat += cell;
    std::printf("heat in the plate: %.9f\n", heat);
    std::printf("in the corner of the hot wall: %.12f\n", plate[0]);
    std::fprintf(stderr, "seconds in the loop: %.3f\n", loop.count());
  }
}
