// SPDX-License-Identifier: BSD-3-Clause
#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, plait::device_array<double>& there, std::vector<double>& here) {
  rt.bcast("here", plait::inout(here), 0);
#ifndef PLAIT_CONTROL
  rt.bcast("there", plait::inout(there), 0);
#endif
}
