// SPDX-License-Identifier: BSD-3-Clause
// Collective operations are tasks: a sum over all ranks under work that does not need it, and an
// exchange of parts each of which is used as soon as it is there, and a sum over some of the ranks.
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const auto ranks = static_cast<std::size_t>(env.size());

  std::vector<double> a(1000, env.rank() + 1), b(1000, 2);
  double mine = 0, total = 0;
  rt.task(
      "dot", [](auto& x, auto& y, double& to) { to = dot(x, y); }, plait::in(a, b),
      plait::out(mine));
  rt.allreduce("total", plait::in(mine), plait::out(total));

  std::vector<int> row(ranks, env.rank()), column(ranks), seen(ranks);
  rt.alltoall("transpose", plait::in(row), plait::out(column));  // under way with the sum
  for (std::size_t from = 0; from < ranks; ++from) {
    rt.task(
        "use", [](int part, int& to) { to = 10 * part; }, plait::in(column[from]),
        plait::out(seen[from]));  // waits for that part only
  }

  const plait::communicator half = env.world().split("half", 2 * env.rank() / env.size());
  double of_half = env.rank();
  rt.allreduce("of half", plait::inout(of_half), plait::sum{}, {.among = half});  // in place
  rt.wait();

  if (env.rank() == 0) {
    std::printf("the sum over all ranks is %.0f\n", total);
    for (const int one : seen) std::printf("%d ", one);
    std::printf("came in parts\n");
    std::printf("the sum over the %d ranks of my half is %.0f\n", half.size(), of_half);
  }
}
