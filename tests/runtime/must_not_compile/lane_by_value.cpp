// SPDX-License-Identifier: BSD-3-Clause
#include <plait/plait.hpp>

void submit(plait::runtime& rt, plait::lane& border) {
  rt.task(
      "t", [](plait::lane&) {}, plait::inout(border));
#ifndef PLAIT_CONTROL
  rt.task(
      "t", [](plait::lane&) {}, border);
#endif
}
