// SPDX-License-Identifier: BSD-3-Clause
// Three arrays that change places: a wave by leapfrog, whose step reads two and writes the third.
// In a loop one would swap them after each step.  A recording keeps the addresses of what it was
// given, so it holds as many steps as it takes until each array is back in its place: three.  The
// string ends at both ends of the line of ranks, where the neighbour is no_rank.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::in, plait::out;

constexpr int cells = 240;  // of the whole string, whose ends stand still
constexpr int steps = 1000;
constexpr double courant_squared = 0.5;

/// `now` has a cell more at each end.
void leapfrog(std::span<const double> before, std::span<const double> now, std::span<double> next) {
  for (std::size_t i = 0; i < next.size(); ++i)
    next[i] = 2 * now[i + 1] - before[i] + courant_squared * (now[i] - 2 * now[i + 1] + now[i + 2]);
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const int left = env.rank() > 0 ? env.rank() - 1 : plait::no_rank;
  const int right = env.rank() + 1 < env.size() ? env.rank() + 1 : plait::no_rank;
  const int first = cells * env.rank() / env.size();
  const std::size_t n = cells * (env.rank() + 1) / env.size() - first;

  // A standing wave, exactly: sin(k x) cos(w t) solves the difference equation, too.
  const double k = 3 * std::numbers::pi / (cells + 1);
  const double w = std::acos(1 - 2 * courant_squared * std::pow(std::sin(k / 2), 2));
  const auto wave = [&](std::size_t i, int step) {  // i counts the ghost on the left
    return std::sin(k * static_cast<double>(first + static_cast<int>(i))) * std::cos(w * step);
  };
  std::vector<double> u(n + 2), v(n + 2), next(n + 2);
  for (std::size_t i = 1; i <= n; ++i) u[i] = wave(i, -1);
  for (std::size_t i = 1; i <= n; ++i) v[i] = wave(i, 0);

  const auto step = [&](std::span<double> before, std::span<double> now, std::span<double> after) {
    rt.recv("ghost", out(now[0]), left, 0);
    rt.recv("ghost", out(now[n + 1]), right, 1);
    rt.send("edge", in(now[n]), right, 0);  // to no_rank: nothing happens
    rt.send("edge", in(now[1]), left, 1);
    rt.task("leapfrog", leapfrog, in(before.subspan(1, n)), in(now), out(after.subspan(1, n)));
  };
  auto three_steps = rt.record([&] {
    step(u, v, next);
    step(v, next, u);
    step(next, u, v);
  });
  rt.replay(three_steps, steps / 3);
  static_assert(steps % 3 == 1);  // what is left of the steps, as it would be without a recording
  step(u, v, next);
  rt.wait();

  double error = 0;
  for (std::size_t i = 1; i <= n; ++i) error = std::max(error, std::abs(next[i] - wave(i, steps)));
  rt.allreduce("error", plait::inout(error), plait::maximum{});
  rt.wait();
  if (env.rank() == 0) std::printf("after %d steps the largest error is %.6f\n", steps, error);
}
