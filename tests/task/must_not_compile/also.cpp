// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <string>
#include <vector>

#include <plait/task/scheduler.hpp>

void submit(plait::scheduler& s, double& x, double& y) {
  s.task(
       "declares", [](double&) {}, plait::out(x))
      .also(plait::in(y));
#ifndef PLAIT_CONTROL
  s.task(
       "forgets the word", [](double&) {}, plait::out(x))
      .also(y);
#endif
}
