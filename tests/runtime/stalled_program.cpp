// SPDX-License-Identifier: BSD-3-Clause
// Both ranks wait for a message that nobody sends.  It must end all the same.
#include <plait/plait.hpp>

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env, {.tasks = {.workers = 2, .stall_report_s = 0.3}, .stall_aborts = true}};
  double value = 0;
  rt.recv("never sent", plait::out(value), (env.rank() + 1) % env.size(), 9);
  rt.wait();
}
