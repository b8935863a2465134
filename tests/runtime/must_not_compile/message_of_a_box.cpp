// SPDX-License-Identifier: BSD-3-Clause
#include <plait/array/view.hpp>
#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, plait::view<double, 2> face, double& x) {
  rt.send("number", plait::in(x), 1);
#ifndef PLAIT_CONTROL
  rt.send("face", plait::in(face), 1);
#endif
}
