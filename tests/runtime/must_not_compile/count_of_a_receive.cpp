// SPDX-License-Identifier: BSD-3-Clause
#include <plait/plait.hpp>

void submit(plait::runtime& rt, std::span<double> x, std::size_t& n) {
  rt.recv("some", plait::counted(plait::out(x), plait::out(n)), 1);
#ifndef PLAIT_CONTROL
  rt.recv("some", plait::counted(plait::out(x), plait::in(n)), 1);
#endif
}
