// SPDX-License-Identifier: BSD-3-Clause
// The second task reads what it has not declared, so nothing keeps it from running first.  Checked
// mode finds that whatever the order is, and says which task, which data and which bytes.
#include <cstdio>
#include <vector>

#include <plait/plait.hpp>

void scale(std::vector<double>& values) {
  for (double& value : values) value *= 2;
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env, {.tasks = {.checked = true}}};  // or PLAIT_CHECKED=1 in the environment

  std::vector<double> interior(1000, 1.0), rim(4);
  rt.task("interior", scale, plait::inout(interior));
  rt.task(
      "rim",
      [&interior](std::vector<double>& to) {
        for (std::size_t i = 0; i < to.size(); ++i)
          to[i] = interior[8 + i];  // in(interior) is missing
      },
      plait::out(rim));
  try {
    rt.wait();
  } catch (const plait::access_error& lie) {
    std::printf("%s\n", lie.what());
  }
}
