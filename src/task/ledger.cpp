// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <utility>

#include <plait/task/ledger.hpp>

namespace plait {

double ledger_entry::balance_error() const noexcept {
  if (wall_s <= 0) return 0;
  return std::abs(compute_s + posting_s + exposed_s + overhead_s + idle_s - wall_s) / wall_s;
}

void detail::settle_what_was_open(account::sums& since_reset) noexcept {
  ticks& compute = since_reset[static_cast<std::size_t>(activity::compute)];
  ticks& overhead = since_reset[static_cast<std::size_t>(activity::overhead)];
  if (compute < 0) overhead += std::exchange(compute, 0);
  if (overhead < 0) compute += std::exchange(overhead, 0);
}

}  // namespace plait
