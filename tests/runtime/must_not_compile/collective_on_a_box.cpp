// SPDX-License-Identifier: BSD-3-Clause
#include <plait/array/view.hpp>
#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, plait::view<double, 2> part, double& x) {
  rt.bcast("number", plait::inout(x), 0);
#ifndef PLAIT_CONTROL
  rt.bcast("part", plait::inout(part), 0);
#endif
}
