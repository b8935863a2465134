// SPDX-License-Identifier: BSD-3-Clause
// A program without a line about ledgers or traces, for test_end_of_run.py, which asks for them by
// environment variables.  Its argument says what it does.
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

namespace {

using plait::in, plait::inout, plait::out;

void spin_us(long microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

void exchange(plait::environment& env, plait::runtime& rt, int rounds) {
  std::vector<int> edge(100, env.rank()), ghost(100);
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  for (int i = 0; i < rounds; ++i) {
    rt.send("edge", in(edge), right);
    rt.recv("ghost", out(ghost), left);
    rt.task("inner </script> \"\xff", [] { spin_us(20); });
    rt.task(
        "rim", [](const std::vector<int>&, std::vector<int>&) { spin_us(10); }, in(ghost),
        inout(edge));
  }
  rt.wait();
}

/// On windows: each rank puts to the next, whose task waits for the signal, and reads from it.
void write_and_read(plait::environment& env, plait::runtime& rt, int rounds) {
  std::vector<int> edge(100, env.rank()), ghost(100), table(100), read(100), far(10'000);
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  const auto ghosts = rt.window(ghost);
  const auto tables = rt.window(table);
  const auto fars = rt.window(far);
  const std::vector<int> long_one(far.size());
  for (int i = 0; i < rounds; ++i) {
    rt.put_signal("edge", ghosts, right, 0, in(edge));
    rt.await_signal("ghost", ghosts, left, out(ghost));
    rt.get("table", tables, right, 0, out(read));
    rt.put("far", fars, right, 0, in(long_one), {.source = plait::completion::local});
    rt.task(
        "rim", [](const std::vector<int>&, std::vector<int>&) { spin_us(10); }, in(ghost),
        inout(edge));
  }
  rt.wait();
}

void run(plait::environment& env, const std::string& what) {
  if (what == "nothing") return;
  plait::runtime rt{env, {.tasks = {.workers = 2}}};
  exchange(env, rt, 50);
  if (what == "traces") {  // for itself
    rt.start_trace();
    exchange(env, rt, 10);
    rt.reset_ledger();
    std::printf("rank %d traced %zu\n", env.rank(), rt.stop_trace().size());
    exchange(env, rt, 50);
  }
  if (what == "two") {
    plait::runtime second{env, {.tasks = {.workers = 1}}};
    exchange(env, second, 50);
  }
  if (what == "window") write_and_read(env, rt, 10);
  if (what == "throws" && env.rank() == env.size() - 1) {
    rt.task("fails", [] { throw std::runtime_error("on purpose"); });
    rt.wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "again") {  // MPI is the program's
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    for (int i = 0; i < 2; ++i) {
      plait::environment env{argc, argv};
      run(env, what);
    }
    return MPI_Finalize();
  }
  plait::environment env{argc, argv};
  if (what != "caught") {
    run(env, what);
  } else {
    try {
      run(env, "throws");
    } catch (const std::runtime_error&) {
      std::puts("caught");
    }
  }
  if (env.rank() == 0) std::puts("done");
  return what == "three" ? 3 : 0;
}
