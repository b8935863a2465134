// SPDX-License-Identifier: BSD-3-Clause
// A loop that submits the same tasks and messages in every round: recorded once, then run without
// analysing dependences again.  Rounds overlap wherever their data allows.
#include <cstdio>
#include <vector>

#include <plait/plait.hpp>

void average(const double& left, const double& right, double& mine) {
  mine = (left + mine + right) / 3;
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const int left = (env.rank() + env.size() - 1) % env.size();
  const int right = (env.rank() + 1) % env.size();

  double mine = env.rank(), from_left = 0, from_right = 0;
  plait::graph round = rt.record([&] {
    rt.recv("from the left", plait::out(from_left), left, 1);
    rt.recv("from the right", plait::out(from_right), right, 2);
    rt.send("to the right", plait::in(mine), right, 1);
    rt.send("to the left", plait::in(mine), left, 2);
    rt.task("average", average, plait::in(from_left, from_right), plait::inout(mine));
  });
  rt.replay(round, 200).wait();

  if (env.rank() == 0) {
    std::printf("a round: %zu task, %zu messages, %zu dependences\n", round.tasks(),
                round.messages(), round.dependences());
    std::printf("after 200 rounds everyone has the mean: %.6f\n", mine);
  }
}
