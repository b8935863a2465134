// SPDX-License-Identifier: BSD-3-Clause
// Thyme's programming style: a task precedence graph over groups of loop iterations, built once,
// then run by a scheduler that knows which group waits for which message.  [Thyme: "a task
// precedence graph to represent a partial ordering over a logical grouping of the application's
// loop iteration spaces"]  A loop nest in plain MPI would be
//
//     for (step) {
//       exchange ghost cells;              // everybody waits here
//       for (i) v[i] = (u[i-1] + u[i+1]) / 2;
//       swap(u, v);
//     }
//
// Here its i-loop is cut into groups, the precedence follows from what each group reads and writes,
// and the groups that need no ghost cell run while the messages travel.
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::in, plait::out;

constexpr std::size_t groups = 8;
constexpr std::size_t length = 512;  // cells of a group

/// v[i] for one group of iterations; `u` begins one cell before it and ends one after.
void relax(std::span<const double> u, std::span<double> v) {
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = (u[i] + u[i + 2]) / 2;
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  constexpr std::size_t n = groups * length;
  std::vector<double> first(n + 2, 0.0), second(n + 2, 0.0);  // with a ghost cell at each end
  if (env.rank() == 0) first[0] = second[0] = 1;              // the boundary

  // The nodes and edges of one step.
  const auto step = [&](std::span<double> u, std::span<double> v) {
    if (env.rank() > 0) {
      rt.send("to the left", in(u.subspan(1, 1)), env.rank() - 1, 0);
      rt.recv("from the left", out(u.subspan(0, 1)), env.rank() - 1, 1);
    }
    if (env.rank() + 1 < env.size()) {
      rt.send("to the right", in(u.subspan(n, 1)), env.rank() + 1, 1);
      rt.recv("from the right", out(u.subspan(n + 1, 1)), env.rank() + 1, 0);
    }
    for (std::size_t g = 0; g < groups; ++g) {
      rt.task("relax", relax, in(u.subspan(g * length, length + 2)),
              out(v.subspan(g * length + 1, length)));
    }
  };
  plait::graph two_steps = rt.record([&] {
    step(first, second);
    step(second, first);
  });
  rt.replay(two_steps, 500).wait();  // steps overlap wherever the graph allows

  if (env.rank() == 0) {
    std::printf("%zu groups and messages, %zu precedences\n",
                two_steps.tasks() + two_steps.messages(), two_steps.dependences());
    std::printf("after 1000 steps the 10th cell has %.6f\n", first[10]);
  }
}
