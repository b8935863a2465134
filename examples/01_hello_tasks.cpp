// SPDX-License-Identifier: BSD-3-Clause
// Tasks say what they read and write; which of them may run side by side follows from that.
#include <cstdio>
#include <numeric>
#include <vector>

#include <plait/plait.hpp>

void fill(std::vector<double>& values, double value) {
  values.assign(values.size(), value);
}

void add(const std::vector<double>& from, std::vector<double>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

void sum(const std::vector<double>& values, double& total) {
  total = std::accumulate(values.begin(), values.end(), 0.0);
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};

  std::vector<double> x(1000), y(1000);
  double total_x = 0, total_y = 0;
  rt.task("fill x", fill, plait::out(x), 1.0);
  rt.task("fill y", fill, plait::out(y), 2.0);               // beside "fill x"
  rt.task("add", add, plait::in(y), plait::inout(x));        // after both
  rt.task("sum y", sum, plait::in(y), plait::out(total_y));  // beside "add": both only read y
  rt.task("sum x", sum, plait::in(x), plait::out(total_x));  // after "add"
  rt.wait();

  std::printf("sum of x: %g\nsum of y: %g\n", total_x, total_y);
}
