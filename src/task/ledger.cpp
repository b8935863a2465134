// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <plait/task/ledger.hpp>

namespace plait {

double ledger_entry::balance_error() const noexcept {
  if (wall_s <= 0) return 0;
  return std::abs(compute_s + posting_s + exposed_s + overhead_s + idle_s - wall_s) / wall_s;
}

}  // namespace plait
