// SPDX-License-Identifier: BSD-3-Clause
#include <plait/core/box.hpp>

plait::box<3> common(plait::box<3> global, plait::box<3, plait::space::local> local) {
#ifndef PLAIT_CONTROL
  global = intersect(global, local);
#endif
  return intersect(global, to_global(local, global.low));
}
