// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <string>
#include <vector>

#include <plait/task/scheduler.hpp>

void submit(plait::scheduler& s, const std::string& name, double& x) {
  s.task(
      plait::task_name::intern(name), [](double&) {}, plait::out(x));
#ifndef PLAIT_CONTROL
  s.task(
      name, [](double&) {}, plait::out(x));
#endif
}
