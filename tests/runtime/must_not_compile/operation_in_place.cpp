// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <plait/runtime/runtime.hpp>

void submit(plait::runtime& rt, std::vector<double>& x) {
  rt.allreduce("returned", plait::inout(x), [](const double& a, const double& b) { return a + b; });
#ifndef PLAIT_CONTROL
  rt.allreduce("in place", plait::inout(x), [](double& a, const double& b) { a += b; });
#endif
}
