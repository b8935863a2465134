// SPDX-License-Identifier: BSD-3-Clause
// failing_replay task|message: fails in the third iteration of a replay, on rank 1.
#include <span>
#include <string>
#include <vector>

#include <plait/plait.hpp>

using plait::inout;
using plait::out;

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env, {.tasks = {.workers = 1}}};
  const std::string what = argc == 2 ? argv[1] : "";
  constexpr int iterations = 5;
  std::vector<int> x(3);
  if (what == "task") {
    x.resize(2);  // the third element has no place
    int i = -1;
    plait::graph sweep = rt.record([&] {
      rt.task(
          "relax", [](std::vector<int>& to, int& at) { to.at(static_cast<std::size_t>(++at)) = 1; },
          inout(x), inout(i));
    });
    if (env.rank() == 1) rt.replay(sweep, iterations).wait();
  } else if (what == "message" && env.rank() == 1) {
    plait::graph sweep = rt.record([&] { rt.recv("ghost", out(x), 0, 3); });
    rt.replay(sweep, iterations).wait();
  } else if (what == "message") {
    for (int i = 0; i < iterations; ++i) {
      rt.send("edge", plait::in(std::span<const int>(x).first(i == 2 ? 2 : 3)), 1, 3);
    }
    rt.wait();
  }
  for (;;) env.barrier();  // the other rank ends the job
}
