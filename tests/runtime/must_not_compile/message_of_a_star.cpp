// SPDX-License-Identifier: BSD-3-Clause
#include <plait/array/view.hpp>
#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, plait::view<double, 2> u, plait::box<2> cells) {
  rt.send("box", plait::in(u[cells]), 1);
#ifndef PLAIT_CONTROL
  rt.send("star", plait::in(u[star(cells)]), 1);
#endif
}
