// SPDX-License-Identifier: BSD-3-Clause
/// Scans the values of a parameter, by runs of a program: of either dialect.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace plait::simulate {

[[nodiscard]] inline std::uint64_t scaled(std::uint64_t value, double factor) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * factor));
}

/// Returns the largest value for which `within(value)`, scanning upwards from `from` in steps of
/// 2^(1/4); none: 10,000 times the value, or 10^9 where it is 0, are not the end.
[[nodiscard]] std::optional<std::uint64_t> largest_within(std::uint64_t from, const auto& within) {
  std::uint64_t good = from;
  std::uint64_t bad = from;
  for (int step = 1; bad == from; ++step) {
    const double times = std::exp2(step / 4.0);
    if (times > (from == 0 ? 1e9 : 1e4)) return std::nullopt;
    const std::uint64_t value =
        from == 0 ? scaled(1, times) : std::max(from + 1, scaled(from, times));
    (within(value) ? good : bad) = value;
  }
  while (bad - good > 1 + good / 1000) {
    const std::uint64_t middle = good + (bad - good) / 2;
    (within(middle) ? good : bad) = middle;
  }
  return good;
}

/// Returns the value nearest to `from` for which `limited_by(value)` differs, scanning in steps of
/// 2^(1/2) upwards to 1000 times, or downwards to a thousandth of it; none: it does not change.
[[nodiscard]] std::optional<std::uint64_t> first_change(std::uint64_t from, bool upwards,
                                                        const auto& limited_by) {
  const auto now = limited_by(from);
  std::uint64_t same = from;
  for (int step = 1; step <= 20; ++step) {
    std::uint64_t value = scaled(std::max<std::uint64_t>(from, upwards ? 1 : 0),
                                 std::exp2((upwards ? step : -step) / 2.0));
    if (value == same) continue;
    if (limited_by(value) == now) {
      same = value;
      continue;
    }
    while ((value > same ? value - same : same - value) > 1 + same / 100) {
      const std::uint64_t middle =
          std::min(value, same) + (std::max(value, same) - std::min(value, same)) / 2;
      (limited_by(middle) == now ? same : value) = middle;
    }
    return value;
  }
  return std::nullopt;
}

}  // namespace plait::simulate
