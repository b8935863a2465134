// SPDX-License-Identifier: BSD-3-Clause
#include <plait/plait.hpp>

void submit(plait::runtime& rt, plait::view<double, 2> u, plait::box<2> cells, std::span<double> x,
            std::size_t& n) {
  rt.send("some", plait::counted(plait::in(x), plait::in(n)), 1);
#ifndef PLAIT_CONTROL
  rt.send("some", plait::counted(plait::in(u[cells]), plait::in(n)), 1);
#endif
}
