// SPDX-License-Identifier: BSD-3-Clause
#include <plait/array/view.hpp>

double value(plait::view<double, 2> u, plait::point<2, plait::space::local> cell) {
#ifndef PLAIT_CONTROL
  u[cell] = 1;
#endif
  return u.local(u.cells().low)[cell];
}
