// SPDX-License-Identifier: BSD-3-Clause
#include <../src/core/filled.hpp>

std::string text() {
#ifndef PLAIT_CONTROL
  return plait::filled("{} of {}", 1);
#endif
  return plait::filled("{} of {}", 1, 2);
}
