// SPDX-License-Identifier: BSD-3-Clause
#include <plait/core/box.hpp>

bool same(plait::point<2> global, plait::point<2, plait::space::local> local) {
#ifndef PLAIT_CONTROL
  if (global == local) return true;
#endif
  return to_local(global, plait::point<2>{3, 4}) == local;
}
