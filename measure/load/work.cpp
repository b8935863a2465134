// SPDX-License-Identifier: BSD-3-Clause
#include "work.hpp"

#include <algorithm>

#include <plait/plait.hpp>

namespace plait::measure {
values initial_values(std::size_t blocks) {
  value_block ones;
  ones.value.fill(1.0);
  return values(blocks, ones);
}

// Not inlined, so that all callers run one machine code, `unit_seconds` too.  [inlined there, a
// unit took 1.28 times as long as elsewhere]
[[gnu::noinline]] void work(std::span<value_block> on, long units) {
  std::size_t next = 0;
  for (long unit = 0; unit < units; ++unit) {
    // Has a fixed point at 2, so that neither overflow nor denormal numbers slow it down.
    for (double& value : on[next].value) value = 0.5 * value + 1.0;
    if (++next == on.size()) next = 0;
  }
}

double unit_seconds(double sample_s, std::size_t blocks) {
  values on = initial_values(blocks);
  long units = 0;
  const long batch = std::max(1000L, static_cast<long>(blocks));
  work(on, batch);
  const ticks start = now_ticks();
  const ticks end = start + seconds_to_ticks(sample_s);
  ticks now = start;
  while (now < end) {
    work(on, batch);
    units += batch;
    now = now_ticks();
  }
  return ticks_to_seconds(now - start) / static_cast<double>(units);
}

}  // namespace plait::measure
