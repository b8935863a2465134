// SPDX-License-Identifier: BSD-3-Clause
#include <plait/runtime/runtime.hpp>

void fetch(plait::runtime& rt, plait::window<double>& w, double& x) {
#ifndef PLAIT_CONTROL
  rt.get("x", w, 0, 0, plait::out(x), {.source = plait::completion::local});
#endif
  rt.put("x", w, 0, 0, plait::in(x), {.source = plait::completion::local});
}
