// SPDX-License-Identifier: BSD-3-Clause
#include <plait/array/view.hpp>
#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, plait::view<double, 2> u, plait::box<2> cells) {
  rt.allreduce("box", plait::inout(u[cells]));
#ifndef PLAIT_CONTROL
  rt.allreduce("star", plait::inout(u[star(cells)]));
#endif
}
