// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <plait/array/view.hpp>
#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, plait::view<double, 2> part, std::vector<double>& all) {
  rt.allgather("part", plait::in(part), plait::out(all));
#ifndef PLAIT_CONTROL
  rt.allgatherv("parts", plait::in(part), plait::out(all), {});
#endif
}
