// SPDX-License-Identifier: BSD-3-Clause
#include <plait/array/view.hpp>
#include <plait/task/scheduler.hpp>

void submit(plait::scheduler& s, plait::view<double, 2> u, plait::box<2> cells) {
  s.task(
      "read", [](plait::view<const double, 2>) {}, plait::in(u[star(cells)]));
#ifndef PLAIT_CONTROL
  s.task(
      "write", [](plait::view<double, 2>) {}, plait::in(u[star(cells)]));
#endif
}
