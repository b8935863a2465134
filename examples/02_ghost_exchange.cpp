// SPDX-License-Identifier: BSD-3-Clause
// Messages are tasks: a receive runs when its ghost cell may be overwritten, a send when its edge
// cell is final, and a smoothing step starts as soon as its own ghosts are there.  The result does
// not depend on the number of ranks.
#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

constexpr int global_cells = 840;
constexpr int steps = 50;

// Cells 1 … n are this rank's; cells 0 and n + 1 are ghosts, copies of the neighbours' edges.
void smooth(std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 1; i + 1 < from.size(); ++i)
    to[i] = 0.5 * from[i] + 0.25 * (from[i - 1] + from[i + 1]);
}

void find_largest(std::span<const double> values, double& largest) {
  for (std::size_t i = 1; i + 1 < values.size(); ++i) largest = std::max(largest, values[i]);
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const int left = (env.rank() + env.size() - 1) % env.size();
  const int right = (env.rank() + 1) % env.size();
  enum tag { leftward, rightward, result };

  const int first = env.rank() * global_cells / env.size();
  const int last = (env.rank() + 1) * global_cells / env.size();
  const int n = last - first;
  std::vector<double> one(n + 2), other(n + 2);
  std::span<double> u{one}, v{other};  // a task copies a span, so the names may change hands below
  for (int i = 0; i < n; ++i) u[i + 1] = (first + i) % 100 == 0 ? 1 : 0;

  for (int step = 0; step < steps; ++step) {
    rt.recv("left ghost", plait::out(u[0]), left, rightward);
    rt.recv("right ghost", plait::out(u[n + 1]), right, leftward);
    rt.send("left edge", plait::in(u[1]), left, leftward);
    rt.send("right edge", plait::in(u[n]), right, rightward);
    rt.task("smooth", smooth, plait::in(u), plait::out(v));
    std::swap(u, v);
  }

  std::vector<double> largest(env.size());
  double& mine = largest[env.rank()];
  rt.task("largest", find_largest, plait::in(u), plait::inout(mine));
  if (env.rank() != 0) {
    rt.send("mine", plait::in(mine), 0, result);
  } else {
    for (int rank = 1; rank < env.size(); ++rank)
      rt.recv("theirs", plait::out(largest[rank]), rank, result);
  }
  rt.wait();
  if (env.rank() == 0) {
    double all = 0;
    for (double theirs : largest) all = std::max(all, theirs);
    std::printf("largest value after %d steps: %.12f\n", steps, all);
  }
}
