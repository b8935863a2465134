// SPDX-License-Identifier: BSD-3-Clause
// Work that does not need the message runs while it travels.  The ledger says how much of the time
// a worker had nothing to run because a message was still under way: "exposed".
#include <cstdio>
#include <vector>

#include <plait/plait.hpp>

void work(std::vector<double>& values) {
  for (int sweep = 0; sweep < 20; ++sweep)
    for (double& value : values) value = 0.5 * value + 1;
}

void combine(const std::vector<double>& message, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += message[i];
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  if (env.size() != 2) env.abort("this example is a conversation of 2 ranks", 2);
  plait::runtime rt{env, {.tasks = {.workers = 1}}};
  const int other = 1 - env.rank();

  std::vector<double> sent(1 << 19, 1.0), received(1 << 19), inner(1 << 20), outer(1 << 19);
  for (int step = 0; step < 5; ++step) {
    rt.recv("their half", plait::out(received), other);
    rt.send("our half", plait::in(sent), other);
    rt.task("inner", work, plait::inout(inner));  // runs while both messages travel
    rt.task("outer", combine, plait::in(received), plait::inout(outer));  // needs the message
  }
  rt.wait();

  if (env.rank() == 0) {
    for (const plait::ledger_entry& worker : rt.ledger()) {
      std::printf("worker %d: compute %.1f ms, posting %.1f ms, exposed %.1f ms,\n", worker.worker,
                  worker.compute_s * 1e3, worker.posting_s * 1e3, worker.exposed_s * 1e3);
      std::printf("  overhead %.1f ms, idle %.1f ms; wall %.1f ms\n", worker.overhead_s * 1e3,
                  worker.idle_s * 1e3, worker.wall_s * 1e3);
      std::printf("the ledger balances: %s\n", worker.balance_error() < 0.01 ? "yes" : "no");
    }
    std::printf("outer[0] = %g\n", outer[0]);
  }
}
