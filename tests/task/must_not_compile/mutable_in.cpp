// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <string>
#include <vector>

#include <plait/task/scheduler.hpp>

void submit(plait::scheduler& s, double& x) {
  s.task(
      "reads", [](const double&) {}, plait::in(x));
  s.task(
      "updates", [](double&) {}, plait::inout(x));
#ifndef PLAIT_CONTROL
  s.task(
      "changes", [](double&) {}, plait::in(x));
#endif
}
