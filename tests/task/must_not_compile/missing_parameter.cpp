// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <string>
#include <vector>

#include <plait/task/scheduler.hpp>

void submit(plait::scheduler& s, double& x, double& y) {
  s.task(
      "both", [](const double&, double&) {}, plait::in(x), plait::out(y));
#ifndef PLAIT_CONTROL
  s.task(
      "one", [](const double&) {}, plait::in(x), plait::out(y));
#endif
}
