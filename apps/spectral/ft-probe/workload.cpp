// SPDX-License-Identifier: BSD-3-Clause
#include "workload.hpp"

#include <cmath>
#include <string>

#include <plait/plait.hpp>

namespace ft_probe {
namespace {

bool has_small_factors(index n) {
  for (const index factor : {2, 3, 5, 7})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

}  // namespace

double operations(index n) {
  const auto size = static_cast<double>(n);
  return n > 1 ? 5 * size * std::log2(size) : 0;
}

double workload::scale() const {
  const double whole = operations(length);
  return whole > 0 ? static_cast<double>(times) + operations(part) / whole
                   : static_cast<double>(times);
}

workload workload_of(index length, double scale) {
  PLAIT_EXPECTS(scale >= 0, std::to_string(scale));
  workload result{length, static_cast<index>(scale), 0};
  const double wanted = (scale - static_cast<double>(result.times)) * operations(length);
  double nearest = wanted;  // of no part at all
  for (index n = 2; n <= length; ++n) {
    const double off = std::abs(operations(n) - wanted);
    if (off >= nearest || !(has_small_factors(n) || n == length)) continue;
    nearest = off;
    result.part = n;
  }
  if (result.part == length) {
    ++result.times;
    result.part = 0;
  }
  return result;
}

}  // namespace ft_probe
