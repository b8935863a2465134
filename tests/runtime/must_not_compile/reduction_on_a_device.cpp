// SPDX-License-Identifier: BSD-3-Clause
#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, const plait::device& gpu, double& sum) {
  rt.task(
      "here", [](double&) {}, plait::reduce(sum));
#ifndef PLAIT_CONTROL
  rt.task(
      "there", [](plait::queue, double&) {}, on(gpu), plait::reduce(sum));
#endif
}
