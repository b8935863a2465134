// SPDX-License-Identifier: BSD-3-Clause
#include <plait/task/scheduler.hpp>

void submit(plait::scheduler& s, const plait::resource& io) {
  s.task("write", [] {}).target(io);
#ifndef PLAIT_CONTROL
  s.task("write", [] {}).target("io");
#endif
}
