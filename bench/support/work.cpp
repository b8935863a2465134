// SPDX-License-Identifier: BSD-3-Clause
#include "work.hpp"

#include <cstddef>

#include <plait/plait.hpp>

namespace plait::bench {
namespace {

constexpr std::size_t values_per_unit = 64;
constexpr std::size_t units_per_cycle = 32;

}  // namespace

values initial_values() {
  return values(values_per_unit * units_per_cycle, 1.0);
}

void work(values& on, long units) {
  std::size_t next = 0;
  for (long unit = 0; unit < units; ++unit) {
    double* block = on.data() + next * values_per_unit;
    // Has a fixed point at 2, so that neither overflow nor denormal numbers slow it down.
    for (std::size_t i = 0; i < values_per_unit; ++i) block[i] = 0.5 * block[i] + 1.0;
    next = (next + 1) % units_per_cycle;
  }
}

double unit_seconds(double window_s) {
  values on = initial_values();
  long units = 0;
  constexpr long batch = 1000;
  work(on, batch);
  const ticks start = now_ticks();
  const ticks end = start + seconds_to_ticks(window_s);
  ticks now = start;
  while (now < end) {
    work(on, batch);
    units += batch;
    now = now_ticks();
  }
  return ticks_to_seconds(now - start) / static_cast<double>(units);
}

}  // namespace plait::bench
