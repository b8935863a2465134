// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 catches its failure and returns from main; what the other ranks do meanwhile:
// left_program receives|barrier|computes.
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <plait/plait.hpp>

namespace {

void do_alone(plait::environment& env, plait::runtime& rt, std::string_view what) {
  int x = 0;
  if (what == "receives") rt.recv("the answer", plait::out(x), 0, 7);
  if (what == "receives") rt.wait();
  if (what == "barrier") env.barrier();
  if (what == "computes") std::this_thread::sleep_for(std::chrono::milliseconds(2700));
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  const std::string_view what = argc > 1 ? argv[1] : "";
  try {
    plait::runtime rt{env, {.tasks = {.workers = 2}}};
    if (env.rank() > 0) {
      do_alone(env, rt, what);
      std::printf("rank %d has ended as it would\n", env.rank());
      return 0;
    }
    int x = 0;
    rt.task(
        "fails", [](int&) { throw std::runtime_error("on purpose"); }, plait::out(x));
    rt.wait();
  } catch (const std::runtime_error&) {
    return 3;
  }
}
