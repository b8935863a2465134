// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <string>
#include <vector>

#include <plait/task/scheduler.hpp>

void submit(plait::scheduler& s, const double& x) {
  s.task(
      "reads", [](const double&) {}, plait::in(x));
#ifndef PLAIT_CONTROL
  s.task(
      "writes", [](const double&) {}, plait::out(x));
#endif
}
