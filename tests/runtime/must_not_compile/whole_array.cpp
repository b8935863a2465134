// SPDX-License-Identifier: BSD-3-Clause
#include <plait/array/block_array.hpp>
#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, const plait::block_array<double, 2>& u) {
  rt.task(
      "block", [](plait::view<const double, 2>) {}, plait::in(u.block(0)));
#ifndef PLAIT_CONTROL
  rt.task(
      "array", [](const plait::block_array<double, 2>&) {}, plait::in(u));
#endif
}
