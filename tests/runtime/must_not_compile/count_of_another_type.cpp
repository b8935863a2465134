// SPDX-License-Identifier: BSD-3-Clause
#include <plait/plait.hpp>

void submit(plait::runtime& rt, std::span<double> x, std::size_t& n, int& k) {
  rt.send("some", plait::counted(plait::in(x), plait::in(n)), 1);
#ifndef PLAIT_CONTROL
  rt.send("some", plait::counted(plait::in(x), plait::in(k)), 1);
  (void)k;
#endif
}
