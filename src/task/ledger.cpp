// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <plait/task/ledger.hpp>

namespace plait {

double ledger_entry::balance_error() const noexcept {
  if (wall_s <= 0) return 0;
  return std::abs(compute_s + posting_s + exposed_s + overhead_s + idle_s + held_s - wall_s) /
         wall_s;
}

void detail::settle_what_was_open(account::sums& since_reset) noexcept {
  ticks& compute = since_reset[static_cast<std::size_t>(activity::compute)];
  ticks& overhead = since_reset[static_cast<std::size_t>(activity::overhead)];
  const auto cover = [](ticks& lacking, ticks& by) {
    const ticks part = std::clamp<ticks>(-lacking, 0, std::max<ticks>(0, by));
    lacking += part;
    by -= part;
  };
  cover(compute, overhead);
  cover(overhead, compute);
  for (ticks& part : since_reset) cover(part, *std::ranges::max_element(since_reset));
}

}  // namespace plait
