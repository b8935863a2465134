// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>

#include <plait/core/error.hpp>
#include <plait/core/fair_share.hpp>

namespace plait {

namespace {

/// Against what sums of fractions lose.
constexpr double rounding = 1e-6;

[[nodiscard]] double share(const std::vector<std::vector<int>>& units, int self) {
  PLAIT_EXPECTS(self >= 0 && self < static_cast<int>(units.size()),
                "self: " + std::to_string(self));
  double sum = 0;
  for (const int unit : units[static_cast<std::size_t>(self)]) {
    const auto users = std::count_if(units.begin(), units.end(), [unit](const auto& mine) {
      return std::binary_search(mine.begin(), mine.end(), unit);
    });
    sum += 1.0 / static_cast<double>(users);
  }
  return sum;
}

}  // namespace

int fair_share(const std::vector<std::vector<int>>& units, int self) {
  return std::max(1, static_cast<int>(std::floor(share(units, self) + rounding)));
}

int processes_a_unit(const std::vector<std::vector<int>>& units, int self) {
  return std::max(1, static_cast<int>(std::ceil(1 / share(units, self) - rounding)));
}

}  // namespace plait
