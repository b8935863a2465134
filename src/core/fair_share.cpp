// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>

#include <plait/core/error.hpp>
#include <plait/core/fair_share.hpp>

namespace plait {

int fair_share(const std::vector<std::vector<int>>& units, int self) {
  PLAIT_EXPECTS(self >= 0 && self < static_cast<int>(units.size()),
                "self: " + std::to_string(self));
  double share = 0;
  for (const int unit : units[static_cast<std::size_t>(self)]) {
    const auto users = std::count_if(units.begin(), units.end(), [unit](const auto& mine) {
      return std::binary_search(mine.begin(), mine.end(), unit);
    });
    share += 1.0 / static_cast<double>(users);
  }
  return std::max(1, static_cast<int>(std::floor(share + 1e-6)));
}

}  // namespace plait
