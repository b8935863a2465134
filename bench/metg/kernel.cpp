// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

namespace plait::bench::metg {

double kernel(long iterations, double start) {
  constexpr int lanes = 8;
  double x[lanes];
  for (int i = 0; i < lanes; ++i) x[i] = start + i;
  // Converges to 2, so that neither overflow nor denormal numbers slow it down.
  for (long n = 0; n < iterations; ++n) {
    for (double& value : x) value = 0.5 * value + 1.0;
  }
  double sum = 0;
  for (const double value : x) sum += value;
  return sum;
}

}  // namespace plait::bench::metg
