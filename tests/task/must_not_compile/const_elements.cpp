// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <string>
#include <vector>

#include <plait/task/scheduler.hpp>

void submit(plait::scheduler& s, std::span<const double> x) {
  s.task(
      "reads", [](std::span<const double>) {}, plait::in(x));
#ifndef PLAIT_CONTROL
  s.task(
      "writes", [](std::span<const double>) {}, plait::inout(x));
#endif
}
