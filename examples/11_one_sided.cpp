// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication is tasks: each rank puts its edge into its neighbour's memory with a
// signal, works meanwhile, and reads with a get what nobody has sent.
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();

  std::vector<double> ghost(1000), edge(1000), table(10, 100.0 * env.rank());
  double from_ghost = 0, interior = 0, entry = 0;
  auto ghosts = rt.window(ghost);  // collective: memory that the others may put to and get from
  auto tables = rt.window(table);

  rt.task(
      "edge", [](std::span<double> x, int rank) { x[0] = rank + 1; }, plait::inout(std::span(edge)),
      env.rank());
  rt.put_signal("edge", ghosts, right, 0, plait::in(edge));   // as soon as the edge is final
  rt.await_signal("ghost", ghosts, left, plait::out(ghost));  // who reads the ghosts waits for it
  rt.get("entry", tables, right, 7, plait::out(entry));       // its owner takes no part
  rt.task(
      "interior", [](double& to) { to = 0.5; }, plait::out(interior));  // waits for nothing
  rt.task(
      "rim", [](std::span<const double> x, double inner, double& to) { to = x[0] + inner; },
      plait::in(std::span(ghost), interior), plait::out(from_ghost));
  rt.wait();

  if (env.rank() == 0) {
    std::printf("rank 0 has %.1f from the ghosts of rank %d\n", from_ghost, left);
    std::printf("and %.0f from the table of rank %d\n", entry, right);
  }
}
