// SPDX-License-Identifier: BSD-3-Clause
// An exception thrown in a task arrives at wait(); what had not begun by then was dropped.
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <plait/plait.hpp>

void factor(std::vector<double>& diagonal) {
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    if (diagonal[i] == 0) throw std::runtime_error("row " + std::to_string(i) + " has no pivot");
    diagonal[i] = 1 / diagonal[i];
  }
}

void solve(const std::vector<double>& factors, bool& solved) {
  solved = !factors.empty();
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};

  std::vector<double> diagonal{2, 4, 0, 8};
  bool solved = false;
  rt.task("factor", factor, plait::inout(diagonal));
  rt.task("solve", solve, plait::in(diagonal), plait::out(solved));
  try {
    rt.wait();
  } catch (const std::runtime_error& problem) {
    std::printf("caught: %s\nsolved: %s\n", problem.what(), solved ? "yes" : "no");
  }
}
