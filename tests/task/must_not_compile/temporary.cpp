// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <string>
#include <vector>

#include <plait/task/scheduler.hpp>

void submit(plait::scheduler& s) {
  std::vector<double> kept(3);
  s.task(
      "kept", [](const std::vector<double>&) {}, plait::in(kept));
#ifndef PLAIT_CONTROL
  s.task(
      "gone", [](const std::vector<double>&) {}, plait::in(std::vector<double>(3)));
#endif
}
