// SPDX-License-Identifier: BSD-3-Clause
#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, const plait::device& gpu, plait::device_array<double>& there) {
  rt.task(
      "there", [](plait::queue, plait::device_span<const double>) {}, on(gpu), plait::in(there));
#ifndef PLAIT_CONTROL
  rt.task(
      "here", [](plait::device_span<const double>) {}, plait::in(there));
#endif
}
