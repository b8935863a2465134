// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <plait/array/view.hpp>
#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, plait::view<double, 2> face, plait::view<std::string, 2> names) {
  rt.send("face", plait::in(face), 1);
#ifndef PLAIT_CONTROL
  rt.send("names", plait::in(names), 1);
#else
  (void)names;
#endif
}
