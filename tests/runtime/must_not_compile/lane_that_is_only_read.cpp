// SPDX-License-Identifier: BSD-3-Clause
#include <plait/plait.hpp>

void submit(plait::runtime& rt, plait::lane& border, std::span<double> x) {
  rt.task(
      "t", [x](plait::lane& via) { via.send("x", plait::in(x), 1); }, plait::inout(border));
#ifndef PLAIT_CONTROL
  rt.task(
      "t", [x](const plait::lane& via) { via.send("x", plait::in(x), 1); }, plait::in(border));
#endif
}
