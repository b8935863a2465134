// SPDX-License-Identifier: BSD-3-Clause
#include "attach/after/phases.hpp"

#include <algorithm>
#include <numeric>

namespace plait::attach {

std::vector<double> parts_to_hide(std::span<const wait_in_phase> waits, ticks computed_in_all) {
  std::vector<double> gaps;  // computation before each wait, and after the last
  ticks before = 0;
  for (const wait_in_phase& one : waits) {
    gaps.push_back(static_cast<double>(std::max<ticks>(0, one.computed_before - before)));
    before = std::max(before, one.computed_before);
  }
  gaps.push_back(static_cast<double>(std::max<ticks>(0, computed_in_all - before)));
  const double sum = std::accumulate(gaps.begin(), gaps.end(), 0.0);
  const double squares = std::inner_product(gaps.begin(), gaps.end(), gaps.begin(), 0.0);
  constexpr double most = 0.9;
  const double long_gap = sum > 0 ? most * squares / sum : 1;

  std::vector<double> parts(waits.size());
  for (std::size_t begin = 0; begin < waits.size();) {
    double computed = gaps[begin];
    double waited = 0;
    std::size_t end = begin;
    do {
      waited += static_cast<double>(waits[end].waited);
      computed += gaps[++end];
    } while (end < waits.size() && gaps[end] < long_gap);
    const double part = waited > 0 ? std::min(1.0, computed / waited) : 0;
    std::fill(parts.begin() + static_cast<std::ptrdiff_t>(begin),
              parts.begin() + static_cast<std::ptrdiff_t>(end), part);
    begin = end;
  }
  return parts;
}

}  // namespace plait::attach
