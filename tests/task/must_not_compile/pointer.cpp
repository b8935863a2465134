// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <string>
#include <vector>

#include <plait/task/scheduler.hpp>

void submit(plait::scheduler& s, double* x) {
  s.task(
      "span", [](std::span<double>) {}, plait::out(std::span(x, 3)));
#ifndef PLAIT_CONTROL
  s.task(
      "pointer", [](double*) {}, plait::out(x));
#endif
}
