// SPDX-License-Identifier: BSD-3-Clause
#include <plait/core/point.hpp>

plait::point<2> moved(plait::point<2> cell, plait::extents<2> distance) {
#ifndef PLAIT_CONTROL
  cell = cell + cell;
#endif
  return cell + distance;
}
