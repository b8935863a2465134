// SPDX-License-Identifier: BSD-3-Clause
#include <plait/array/block_array.hpp>

double first(const plait::block_array<double, 2>& u) {
#ifndef PLAIT_CONTROL
  plait::view<double, 2> changeable = u.block(0);
#endif
  plait::view<const double, 2> readable = u.block(0);
  return readable(0, 0);
}
